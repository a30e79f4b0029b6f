import { Duration, Effect, Layer, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { CurrentCaller } from "../../api/Authentication.ts"
import { RateLimited } from "../../api/problems.ts"
import { RateLimit } from "../../api/RateLimit.ts"
import { addHeaders, retryAfter, wholeSeconds } from "../responseHeaders.ts"
import { RequestId } from "../RequestId.ts"

const window = Duration.minutes(1)

/** As in draft-ietf-httpapi-ratelimit-headers: the quota and its window, then what is left and until when. */
const headersFor = (limit: number, remaining: number, resetAfter: Duration.Duration) => ({
  "ratelimit-policy": `"workspace";q=${limit};w=${Duration.toSeconds(window)}`,
  ratelimit: `"workspace";r=${remaining};t=${wholeSeconds(resetAfter)}`
})

/**
 * Counts the requests of each workspace in all processes together. Should the count itself fail, the request goes
 * through: a limit that nobody can count is no reason to refuse anybody.
 */
export const rateLimit = (limit: number) =>
  Layer.effect(
    RateLimit,
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter

      const count = Effect.fnUntraced(function* (workspaceId: string) {
        const counted = yield* Effect.result(limiter.consume({ key: workspaceId, limit, window }))
        if (Result.isSuccess(counted)) {
          return yield* addHeaders(headersFor(limit, counted.success.remaining, counted.success.resetAfter))
        }
        const { reason } = counted.failure
        if (reason._tag !== "RateLimitExceeded") {
          return yield* Effect.logWarning("A request could not be counted and went through", counted.failure)
        }
        yield* addHeaders(headersFor(limit, 0, reason.retryAfter))
        yield* retryAfter(reason.retryAfter)
        const detail = `The workspace may send ${limit} requests a minute`
        return yield* new RateLimited({ detail, request_id: yield* RequestId })
      })

      return RateLimit.of(
        Effect.fnUntraced(function* (handler) {
          const { holder } = yield* CurrentCaller
          yield* count(holder.workspaceId)
          return yield* handler
        })
      )
    })
  )
