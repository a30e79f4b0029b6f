import { html } from "../../domain/html.ts"
import { layout } from "./layout.ts"

const withParams = (redirectUri: string, params: Readonly<Record<string, string>>): string => {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url.href
}

/** Asks whether an application may post. Both links redirect back to it. */
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

/** For an authorization request that X would refuse. */
export const refusedConsentPage = (): string =>
  layout({
    title: "Invalid authorization request (sandbox)",
    main: html`<section class="timeline single twitter"><p class="empty">This authorization request is incomplete, or redirects to another host.</p></section>`
  })
