import { Duration, Effect, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentKey } from "../../api/Authorization.ts"
import { Repo } from "../../repo/Repo.ts"
import { addHeaders, retryAfter } from "../responseHeaders.ts"

/** The headers of a request that can be repeated safely. */
export interface Repeatable {
  readonly "idempotency-key"?: string
}

/** Carries a request out once for its Idempotency-Key, if it has one; a repetition is answered as the first one was. */
export const makeOnce = Effect.gen(function* () {
  const { idempotency } = yield* Repo

  return Effect.fn("once")(function* <A, I extends Schema.Json, E, R>(
    headers: Repeatable,
    body: string,
    answer: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>
  ) {
    const key = headers["idempotency-key"]
    if (key === undefined) return yield* effect
    const { workspaceId } = yield* CurrentKey
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const request = { workspaceId, key, request: `${method} ${url}\n${body}` }
    const made = yield* idempotency
      .once(request, answer, effect)
      .pipe(Effect.tapErrorTag("IdempotencyInFlight", () => retryAfter(Duration.seconds(1))))
    if (made.replayed) yield* addHeaders({ "idempotent-replayed": "true" })
    return made.result
  })
})
