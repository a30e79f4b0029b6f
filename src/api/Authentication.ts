import { Context, type Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { KeyHolder } from "../domain/people/apiKey.ts"
import type { SessionHolder } from "../domain/people/session.ts"
import { RateLimited, Unauthorized, Unavailable } from "./problems.ts"

export interface SessionCaller extends SessionHolder {
  readonly token: Redacted.Redacted
}

export type Caller =
  | { readonly _tag: "Key"; readonly holder: KeyHolder }
  | { readonly _tag: "Session"; readonly holder: SessionCaller }

export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("social-publisher/api/CurrentCaller") {}

const apiKey = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "An API key of the workspace: `Authorization: Bearer sps_…`"),
  HttpApiSecurity.annotate(OpenApi.Format, "sps_<secret>_<checksum>")
)

export const sessionCookie = "__Host-session"
/** The cookie's name over plain HTTP, which is served only on loopback addresses. */
export const plainSessionCookie = "session"

const session = HttpApiSecurity.apiKey({ in: "cookie", key: sessionCookie }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    `The session cookie, which logging in sets; over plain HTTP on loopback it is named \`${plainSessionCookie}\`. ` +
      "A request with it that changes something has to come from the service's own origin. " +
      "The cookie is ignored if the request has an `Authorization` header."
  )
)

/**
 * Identifies the caller by an API key, or else by the session cookie. Counts failed attempts per client address.
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentCaller }>()(
  "social-publisher/api/Authentication",
  {
    requiredForClient: true,
    security: { apiKey, session },
    error: [Unauthorized, RateLimited, Unavailable]
  }
) {}
