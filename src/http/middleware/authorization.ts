import { Context, Effect, Layer } from "effect"
import { CurrentCaller } from "../../api/Authentication.ts"
import {
  Authorization,
  CurrentKey,
  CurrentSession,
  KeyOrSessionAuthorization,
  RequiredScope,
  SessionAuthorization
} from "../../api/Authorization.ts"
import * as Problem from "../../api/problems.ts"
import { hasScope, type KeyHolder, type Scope } from "../../domain/apiKey.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { fail } from "../problems.ts"

const insufficientScope = (scope: Scope) =>
  fail(Problem.InsufficientScope, { detail: `The key needs the scope ${scope}` })

const keyRequired = fail(Problem.Unauthorized, {
  detail: "A session gives access to notifications only; send an API key: Authorization: Bearer sps_…"
})

const checkScope = (holder: KeyHolder, scope: Scope): Effect.Effect<KeyHolder, Problem.InsufficientScope> =>
  hasScope(holder.scopes, scope) ? Effect.succeed(holder) : insufficientScope(scope)

// Both are applied when the server starts, once for each endpoint; an endpoint without a scope prevents that.

const keyLayer = Layer.succeed(Authorization, (handler, { endpoint }) => {
  const scope = Context.getUnsafe(endpoint.annotations, RequiredScope)
  return CurrentCaller.pipe(
    Effect.flatMap((caller): Effect.Effect<KeyHolder, Problem.Unauthorized | Problem.InsufficientScope> =>
      caller._tag === "Session" ? keyRequired : checkScope(caller.holder, scope)
    ),
    Effect.flatMap((holder) => Effect.provideService(handler, CurrentKey, holder))
  )
})

const keyOrSessionLayer = Layer.succeed(KeyOrSessionAuthorization, (handler, { endpoint }) => {
  const scope = Context.getUnsafe(endpoint.annotations, RequiredScope)
  return CurrentCaller.pipe(
    Effect.flatMap((caller) => (caller._tag === "Session" ? Effect.void : checkScope(caller.holder, scope))),
    Effect.andThen(handler)
  )
})

const sessionLayer = Layer.effect(
  SessionAuthorization,
  Effect.gen(function* () {
    const sameOrigin = yield* makeSameOrigin
    return SessionAuthorization.of(
      Effect.fnUntraced(function* (handler) {
        const caller = yield* CurrentCaller
        if (caller._tag === "Key") {
          const detail = "This is done as a person who has logged in, not with an API key"
          return yield* fail(Problem.SessionRequired, { detail })
        }
        yield* sameOrigin.required
        return yield* Effect.provideService(handler, CurrentSession, caller.holder)
      })
    )
  })
)

/** Checks that the authenticated caller may use the endpoint. */
export const authorizationLayer = Layer.mergeAll(keyLayer, keyOrSessionLayer, sessionLayer)
