import { Context, Effect, Layer } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
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
import { hasScope, type KeyHolder } from "../../domain/apiKey.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { fail } from "../problems.ts"

const checkScope = Effect.fnUntraced(function* (holder: KeyHolder, endpoint: HttpApiEndpoint.Top) {
  const scope = yield* Effect.orDie(Effect.fromOption(Context.getOption(endpoint.annotations, RequiredScope)))
  if (hasScope(holder.scopes, scope)) return
  return yield* fail(Problem.InsufficientScope, { detail: `The key needs the scope ${scope}` })
})

const keyLayer = Layer.succeed(
  Authorization,
  Effect.fnUntraced(function* (handler, { endpoint }) {
    const caller = yield* CurrentCaller
    if (caller._tag === "Session") {
      const detail = "A session gives access to notifications only; send an API key: Authorization: Bearer sps_…"
      return yield* fail(Problem.Unauthorized, { detail })
    }
    yield* checkScope(caller.holder, endpoint)
    return yield* Effect.provideService(handler, CurrentKey, caller.holder)
  })
)

const keyOrSessionLayer = Layer.succeed(
  KeyOrSessionAuthorization,
  Effect.fnUntraced(function* (handler, { endpoint }) {
    const caller = yield* CurrentCaller
    if (caller._tag === "Key") yield* checkScope(caller.holder, endpoint)
    return yield* handler
  })
)

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
