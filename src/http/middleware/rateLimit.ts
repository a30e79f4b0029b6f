import { Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { CurrentCaller } from "../../api/Authentication.ts"
import * as Problem from "../../api/problems.ts"
import { RateLimit } from "../../api/RateLimit.ts"
import { fail } from "../problems.ts"
import { addHeaders, retryAfter, wholeSeconds } from "../responseHeaders.ts"

const window = Duration.minutes(1)

/** As in draft-ietf-httpapi-ratelimit-headers: the quota and its window, then what is left and until when. */
const limitHeaders = (limit: number, remaining: number, resetAfter: Duration.Duration) => ({
  "ratelimit-policy": `"workspace";q=${limit};w=${Duration.toSeconds(window)}`,
  ratelimit: `"workspace";r=${remaining};t=${wholeSeconds(resetAfter)}`
})

/** Counts the requests of each workspace, over all processes. Fails open: if counting fails, the request goes through. */
export const rateLimitLayer = (limit: number) =>
  Layer.effect(
    RateLimit,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter

      const refuse = Effect.fnUntraced(function* (error: RateLimiter.RateLimiterError) {
        const { reason } = error
        if (reason._tag !== "RateLimitExceeded") {
          return yield* Effect.logWarning("A request could not be counted and went through", error)
        }
        yield* addHeaders(limitHeaders(limit, 0, reason.retryAfter))
        yield* retryAfter(reason.retryAfter)
        return yield* fail(Problem.RateLimited, { detail: `The workspace may send ${limit} requests a minute` })
      })

      const consume = (workspaceId: string) =>
        Effect.matchEffect(limiter.consume({ key: workspaceId, limit, window }), {
          onFailure: refuse,
          onSuccess: ({ remaining, resetAfter }) => addHeaders(limitHeaders(limit, remaining, resetAfter))
        })

      return RateLimit.of((handler) =>
        Effect.flatMap(CurrentCaller, ({ holder }) => Effect.andThen(consume(holder.workspaceId), handler))
      )
    })
  )
