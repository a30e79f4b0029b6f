import { html, type Html } from "../../domain/html.ts"
import { factsOf, platformName } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { displayNameOf, visitor } from "../state/names.ts"
import { layout } from "./layout.ts"

const withParams = (redirectUri: string, params: Readonly<Record<string, string>>): string => {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url.href
}

const visitorOn = (platform: LivePlatform): string =>
  factsOf(platform).handles === false ? displayNameOf(visitor) : `@${visitor}`

/** Both links redirect back to the application. */
export const consentPage = (request: {
  readonly enabled: ReadonlyArray<LivePlatform>
  readonly platform: LivePlatform
  readonly allows: Html
  readonly redirectUri: string
  readonly state: string
  readonly code: string
}): string =>
  layout({
    title: "Allow access (sandbox)",
    enabled: request.enabled,
    main: html`<section class="timeline single ${request.platform}" aria-label="${platformName(request.platform)}">
<div class="consent">
<h1>Let ${new URL(request.redirectUri).host} post as ${visitorOn(request.platform)}?</h1>
<p>${request.allows} ${platformName(request.platform)} asks the same on a page like this one.</p>
<p class="choices"><a class="button" href="${withParams(request.redirectUri, { state: request.state, code: request.code })}">Allow</a>
<a class="button plain" href="${withParams(request.redirectUri, { state: request.state, error: "access_denied" })}">Cancel</a></p>
</div>
</section>`
  })

export const refusedConsentPage = (platform: LivePlatform, enabled: ReadonlyArray<LivePlatform>): string =>
  layout({
    title: "Invalid authorization request (sandbox)",
    enabled,
    main: html`<section class="timeline single ${platform}"><div class="consent"><h1>Access can't be asked for</h1>
<p>This authorization request is incomplete, or redirects to another host.</p></div></section>`
  })
