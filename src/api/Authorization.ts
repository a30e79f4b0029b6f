import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { Actor } from "../domain/people/actor.ts"
import type { Scope } from "../domain/people/apiKey.ts"
import type { CurrentCaller, SessionCaller } from "./Authentication.ts"
import { CrossOrigin, InsufficientRole, InsufficientScope, SessionRequired } from "./problems.ts"

export class CurrentActor extends Context.Service<CurrentActor, Actor>()("social-publisher/api/CurrentActor") {}

export class CurrentSession extends Context.Service<CurrentSession, SessionCaller>()(
  "social-publisher/api/CurrentSession"
) {}

/** The scope that an endpoint requires of an API key or a person's role. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("social-publisher/api/RequiredScope") {}

/**
 * Requires an API key with the endpoint's scope, or a session whose role includes it. Here and in the two classes
 * below, a session may change something only from the service's own origin (CSRF).
 */
export class Authorization extends HttpApiMiddleware.Service<
  Authorization,
  { requires: CurrentCaller; provides: CurrentActor }
>()("social-publisher/api/Authorization", { error: [InsufficientScope, InsufficientRole, CrossOrigin] }) {}

/** Requires any session, and refuses API keys. */
export class SessionAuthorization extends HttpApiMiddleware.Service<
  SessionAuthorization,
  { requires: CurrentCaller; provides: CurrentSession }
>()("social-publisher/api/SessionAuthorization", { error: [SessionRequired, CrossOrigin] }) {}

export class AdminAuthorization extends HttpApiMiddleware.Service<
  AdminAuthorization,
  { requires: CurrentCaller; provides: CurrentSession }
>()("social-publisher/api/AdminAuthorization", { error: [SessionRequired, InsufficientRole, CrossOrigin] }) {}
