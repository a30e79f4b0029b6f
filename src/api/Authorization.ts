import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { KeyHolder, Scope } from "../domain/apiKey.ts"
import type { CurrentCaller, SessionCaller } from "./Authentication.ts"
import { CrossOrigin, InsufficientScope, SessionRequired, Unauthorized } from "./problems.ts"

export class CurrentKey extends Context.Service<CurrentKey, KeyHolder>()("social-publisher/api/CurrentKey") {}

export class CurrentSession extends Context.Service<CurrentSession, SessionCaller>()(
  "social-publisher/api/CurrentSession"
) {}

/** The scope that an API key needs for an endpoint, as an annotation of the endpoint. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("social-publisher/api/RequiredScope") {}

/** Requires an API key with the endpoint's scope. */
export class Authorization extends HttpApiMiddleware.Service<
  Authorization,
  { requires: CurrentCaller; provides: CurrentKey }
>()("social-publisher/api/Authorization", { error: [Unauthorized, InsufficientScope] }) {}

/** Requires a session, or an API key with the endpoint's scope. */
export class KeyOrSessionAuthorization extends HttpApiMiddleware.Service<
  KeyOrSessionAuthorization,
  { requires: CurrentCaller }
>()("social-publisher/api/KeyOrSessionAuthorization", { error: InsufficientScope }) {}

/** Requires a session and a request from the service's own origin (CSRF protection). */
export class SessionAuthorization extends HttpApiMiddleware.Service<
  SessionAuthorization,
  { requires: CurrentCaller; provides: CurrentSession }
>()("social-publisher/api/SessionAuthorization", { error: [SessionRequired, CrossOrigin] }) {}
