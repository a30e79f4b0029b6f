import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Caller, CurrentCaller, type SessionCaller } from "../../api/Authentication.ts"
import {
  AdminAuthorization,
  Authorization,
  CurrentActor,
  CurrentSession,
  RequiredScope,
  SessionAuthorization
} from "../../api/Authorization.ts"
import * as Problem from "../../api/problems.ts"
import { type Actor, keyActor, sessionActor } from "../../domain/people/actor.ts"
import { hasScope, type KeyHolder } from "../../domain/people/apiKey.ts"
import { rolesWith } from "../../domain/people/role.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { InProcess } from "../InProcess.ts"
import { isSafe } from "../isSafe.ts"
import { fail } from "../problems.ts"

/** Protects changes from CSRF, because another site's page can make a browser send the session's cookie. */
const makeOwnOrigin = Effect.map(makeSameOrigin, (sameOrigin) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    isSafe(request) ? Effect.void : sameOrigin.required
  )
)

const sessionRequired = fail(Problem.SessionRequired, {
  detail: "This is done as a person who has logged in, not with an API key"
})

const adminRequired = fail(Problem.InsufficientRole, { detail: "This needs the role admin" })

/** An agent's tool can't approve or reject posts. Only people do. */
const actorOfKey = (holder: KeyHolder): Effect.Effect<Actor> =>
  Effect.map(InProcess, (isTool) => (isTool ? { ...keyActor(holder), decidesNothing: true } : keyActor(holder)))

type Checked<A, E> = Effect.Effect<A, E, HttpServerRequest.HttpServerRequest>

// Runs when the server starts, once for each endpoint. An endpoint without a scope prevents the start.
const actorLayer = Layer.effect(
  Authorization,
  Effect.map(makeOwnOrigin, (ownOrigin) =>
    Authorization.of((handler, { endpoint }) => {
      const scope = Context.getUnsafe(endpoint.annotations, RequiredScope)
      const insufficientScope = fail(Problem.InsufficientScope, { detail: `The key needs the scope ${scope}` })
      const insufficientRole = fail(Problem.InsufficientRole, { detail: `This needs the role ${rolesWith(scope)}` })
      const check = (
        caller: Caller
      ): Checked<Actor, Problem.InsufficientScope | Problem.InsufficientRole | Problem.CrossOrigin> => {
        if (caller._tag === "Key") {
          return hasScope(caller.holder.scopes, scope) ? actorOfKey(caller.holder) : insufficientScope
        }
        const actor = sessionActor(caller.holder)
        return hasScope(actor.scopes, scope) ? Effect.as(ownOrigin, actor) : insufficientRole
      }
      return CurrentCaller.pipe(
        Effect.flatMap(check),
        Effect.flatMap((actor) => Effect.provideService(handler, CurrentActor, actor))
      )
    })
  )
)

const providingSession =
  <E>(check: (caller: Caller) => Checked<SessionCaller, E>) =>
  <A, E2, R>(handler: Effect.Effect<A, E2, R>) =>
    CurrentCaller.pipe(
      Effect.flatMap(check),
      Effect.flatMap((session) => Effect.provideService(handler, CurrentSession, session))
    )

const sessionLayer = Layer.effect(
  SessionAuthorization,
  Effect.map(makeOwnOrigin, (ownOrigin) =>
    SessionAuthorization.of(
      providingSession((caller): Checked<SessionCaller, Problem.SessionRequired | Problem.CrossOrigin> =>
        caller._tag === "Key" ? sessionRequired : Effect.as(ownOrigin, caller.holder)
      )
    )
  )
)

type AdminProblem = Problem.SessionRequired | Problem.InsufficientRole | Problem.CrossOrigin

const adminLayer = Layer.effect(
  AdminAuthorization,
  Effect.map(makeOwnOrigin, (ownOrigin) =>
    AdminAuthorization.of(
      providingSession((caller): Checked<SessionCaller, AdminProblem> => {
        if (caller._tag === "Key") return sessionRequired
        return caller.holder.role === "admin" ? Effect.as(ownOrigin, caller.holder) : adminRequired
      })
    )
  )
)

export const authorizationLayer = Layer.mergeAll(actorLayer, sessionLayer, adminLayer)
