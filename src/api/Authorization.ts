import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { KeyHolder, Scope } from "../domain/apiKey.ts"
import type { CurrentCaller, SessionCaller } from "./Authentication.ts"
import { CrossOrigin, InsufficientScope, SessionRequired, Unauthorized } from "./problems.ts"

/** Whose key the request carries. */
export class CurrentKey extends Context.Service<CurrentKey, KeyHolder>()("social-publisher/api/CurrentKey") {}

/** Whose session the request carries. */
export class CurrentSession extends Context.Service<CurrentSession, SessionCaller>()(
  "social-publisher/api/CurrentSession"
) {}

/** The scope that a key needs for an endpoint, as an annotation on it. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("social-publisher/api/RequiredScope") {}

/** Lets a caller through who has a key with the scope that the endpoint needs. */
export class Authorization extends HttpApiMiddleware.Service<
  Authorization,
  { requires: CurrentCaller; provides: CurrentKey }
>()("social-publisher/api/Authorization", { error: [Unauthorized, InsufficientScope] }) {}

/** Lets a caller through who has a key with the scope that the endpoint needs, or a session. */
export class KeyOrSessionAuthorization extends HttpApiMiddleware.Service<
  KeyOrSessionAuthorization,
  { requires: CurrentCaller }
>()("social-publisher/api/KeyOrSessionAuthorization", { error: InsufficientScope }) {}

/** Lets a caller through who has a session and asks from the service's own origin. */
export class SessionAuthorization extends HttpApiMiddleware.Service<
  SessionAuthorization,
  { requires: CurrentCaller; provides: CurrentSession }
>()("social-publisher/api/SessionAuthorization", { error: [SessionRequired, CrossOrigin] }) {}
