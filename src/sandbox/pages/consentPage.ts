import { html } from "../../domain/html.ts"
import { layout } from "./layout.ts"

const withParams = (address: string, params: Readonly<Record<string, string>>): string => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url.href
}

/** Asks whether an application may post; both answers lead back to it. */
export const consentPage = (request: {
  readonly redirectUri: string
  readonly state: string
  readonly code: string
}): string =>
  layout({
    title: "Allow access (sandbox)",
    main: html`<section class="timeline single twitter" aria-label="X">
<h2><span class="dot"></span>X</h2>
<div class="consent">
<p><strong>${new URL(request.redirectUri).host}</strong> wants to post as <strong>@visitor</strong>.</p>
<p><a class="button" href="${withParams(request.redirectUri, { state: request.state, code: request.code })}">Allow</a>
<a href="${withParams(request.redirectUri, { state: request.state, error: "access_denied" })}">Cancel</a></p>
</div>
</section>`
  })

/** What is shown for a request that X would not take. */
export const refusedConsentPage = (): string =>
  layout({
    title: "Access can't be asked for (sandbox)",
    main: html`<section class="timeline single twitter"><p class="empty">This request for access is not complete, or leads elsewhere.</p></section>`
  })
