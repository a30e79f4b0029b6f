import { Context, type Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { KeyHolder } from "../domain/apiKey.ts"
import type { SessionHolder } from "../domain/session.ts"
import { RateLimited, Unauthorized, Unavailable } from "./problems.ts"

/** Who calls with a session, and the token that stands for it. */
export interface SessionCaller extends SessionHolder {
  readonly token: Redacted.Redacted
}

/** Who is calling: a program with a key, or a person who has logged in. */
export type Caller =
  | { readonly _tag: "Key"; readonly holder: KeyHolder }
  | { readonly _tag: "Session"; readonly holder: SessionCaller }

/** Who is calling. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("social-publisher/api/CurrentCaller") {}

const apiKey = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "An API key of the workspace: `Authorization: Bearer sps_…`"),
  HttpApiSecurity.annotate(OpenApi.Format, "sps_<secret>_<checksum>")
)

/** The cookie of a session where it is served over HTTPS. */
export const sessionCookie = "__Host-session"
/** The cookie of a session on plain HTTP, which is for loopback addresses only. */
export const plainSessionCookie = "session"

const session = HttpApiSecurity.apiKey({ in: "cookie", key: sessionCookie }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    `The cookie that logging in sets; on plain loopback HTTP it is called \`${plainSessionCookie}\`. Requests that change something ` +
      "with it have to come from the service's own origin. Beside an Authorization header it does not count."
  )
)

/**
 * Finds out who is calling, by an API key or else by a session's cookie. A wrong one costs the caller's address.
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
