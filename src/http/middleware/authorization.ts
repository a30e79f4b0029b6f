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
import { InsufficientScope, SessionRequired, Unauthorized } from "../../api/problems.ts"
import type { KeyHolder } from "../../domain/apiKey.ts"
import { RequestId } from "../RequestId.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"

const checkScope = Effect.fnUntraced(function* (holder: KeyHolder, endpoint: HttpApiEndpoint.Top) {
  const scope = yield* Effect.orDie(Effect.fromOption(Context.getOption(endpoint.annotations, RequiredScope)))
  if (holder.scopes.includes(scope)) return
  return yield* new InsufficientScope({ detail: `The key needs the scope ${scope}`, request_id: yield* RequestId })
})

const keysOnly = Layer.succeed(
  Authorization,
  Effect.fnUntraced(function* (handler, { endpoint }) {
    const caller = yield* CurrentCaller
    if (caller._tag === "Session") {
      const detail = "A session serves the notifications; this needs an API key: Authorization: Bearer sps_…"
      return yield* new Unauthorized({ detail, request_id: yield* RequestId })
    }
    yield* checkScope(caller.holder, endpoint)
    return yield* Effect.provideService(handler, CurrentKey, caller.holder)
  })
)

const keysAndSessions = Layer.succeed(
  KeyOrSessionAuthorization,
  Effect.fnUntraced(function* (handler, { endpoint }) {
    const caller = yield* CurrentCaller
    if (caller._tag === "Key") yield* checkScope(caller.holder, endpoint)
    return yield* handler
  })
)

const sessionsOnly = Layer.effect(
  SessionAuthorization,
  Effect.gen(function* () {
    const sameOrigin = yield* makeSameOrigin
    return SessionAuthorization.of(
      Effect.fnUntraced(function* (handler) {
        const caller = yield* CurrentCaller
        if (caller._tag === "Key") {
          const detail = "This is done as a person who has logged in, not with an API key"
          return yield* new SessionRequired({ detail, request_id: yield* RequestId })
        }
        yield* sameOrigin.required
        return yield* Effect.provideService(handler, CurrentSession, caller.holder)
      })
    )
  })
)

/** Who may do what, once it is known who is calling. */
export const authorization = Layer.mergeAll(keysOnly, keysAndSessions, sessionsOnly)
