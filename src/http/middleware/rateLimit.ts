import { Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { CurrentCaller } from "../../api/Authentication.ts"
import * as Problem from "../../api/problems.ts"
import { MediaRateLimit, RateLimit } from "../../api/RateLimit.ts"
import { counted } from "../../domain/counted.ts"
import { fail } from "../problems.ts"
import { rateLimitWindow as window } from "../ServiceFacts.ts"
import { addHeaders, retryAfter, wholeSeconds } from "../responseHeaders.ts"

/** The headers of draft-ietf-httpapi-ratelimit-headers: the quota and its window, then what is left and until when. */
const limitHeaders = (limit: number, remaining: number, resetAfter: Duration.Duration) => ({
  "ratelimit-policy": `"workspace";q=${limit};w=${Duration.toSeconds(window)}`,
  ratelimit: `"workspace";r=${remaining};t=${wholeSeconds(resetAfter)}`
})

/** How many requests for the bytes of media a workspace may send in a minute. */
const mediaLimit = 1_200

/** Counts the requests of each workspace, over all processes. Fails open: if counting fails, the request goes through. */
const makeConsume = Effect.fnUntraced(function* (limit: number, prefix = "") {
  const limiter = yield* RateLimiter.RateLimiter

  const refuse = Effect.fnUntraced(function* (error: RateLimiter.RateLimiterError) {
    const { reason } = error
    if (reason._tag !== "RateLimitExceeded") {
      return yield* Effect.logWarning("A request could not be counted and went through", error)
    }
    yield* addHeaders(limitHeaders(limit, 0, reason.retryAfter))
    yield* retryAfter(reason.retryAfter)
    return yield* fail(Problem.RateLimited, { detail: `The workspace may send ${counted(limit, "request")} a minute` })
  })

  const consume = (workspaceId: string) =>
    Effect.matchEffect(limiter.consume({ key: `${prefix}${workspaceId}`, limit, window }), {
      onFailure: refuse,
      onSuccess: ({ remaining, resetAfter }) => addHeaders(limitHeaders(limit, remaining, resetAfter))
    })

  return <A, E, R>(handler: Effect.Effect<A, E, R>) =>
    Effect.flatMap(CurrentCaller, ({ holder }) => Effect.andThen(consume(holder.workspaceId), handler))
})

export const rateLimitLayer = (limit: number) =>
  Layer.merge(
    Layer.effect(RateLimit, Effect.map(makeConsume(limit), RateLimit.of)),
    Layer.effect(MediaRateLimit, Effect.map(makeConsume(mediaLimit, "media "), MediaRateLimit.of))
  )
