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
<div class="consent">
<h1>Let ${new URL(request.redirectUri).host} post as @visitor?</h1>
<p>It could read the account's posts, and post text, images and videos from it. X asks the same on a page like this one.</p>
<p class="choices"><a class="button" href="${withParams(request.redirectUri, { state: request.state, code: request.code })}">Allow</a>
<a class="button plain" href="${withParams(request.redirectUri, { state: request.state, error: "access_denied" })}">Cancel</a></p>
</div>
</section>`
  })

/** The page for an authorization request that X would refuse. */
export const refusedConsentPage = (): string =>
  layout({
    title: "Invalid authorization request (sandbox)",
    main: html`<section class="timeline single twitter"><div class="consent"><h1>Access can't be asked for</h1>
<p>This authorization request is incomplete, or redirects to another host.</p></div></section>`
  })
