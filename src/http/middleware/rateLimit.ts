import { type Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { type Caller, CurrentCaller } from "../../api/Authentication.ts"
import * as Problem from "../../api/problems.ts"
import { MediaRateLimit, RateLimit } from "../../api/RateLimit.ts"
import { counted } from "../../domain/counted.ts"
import { InProcess } from "../InProcess.ts"
import { fail } from "../problems.ts"
import { rateLimitWindow as window } from "../ServiceFacts.ts"
import { addHeaders, retryAfter, wholeSeconds } from "../responseHeaders.ts"

/** What is known of one limit after a request was counted in it. */
interface Count {
  readonly policy: "workspace" | "person"
  /** Negative beyond the limit. */
  readonly remaining: number
  readonly resetAfter: Duration.Duration
}

/** The headers of draft-ietf-httpapi-ratelimit-headers: each quota and its window, then what is left and until when. */
const limitHeaders = (limit: number, counts: ReadonlyArray<Count>) => ({
  "ratelimit-policy": counts.map(({ policy }) => `"${policy}";q=${limit};w=${Duration.toSeconds(window)}`).join(", "),
  ratelimit: counts
    .map(({ policy, remaining, resetAfter }) => `"${policy}";r=${Math.max(0, remaining)};t=${wholeSeconds(resetAfter)}`)
    .join(", ")
})

/** How many requests for the bytes of media a workspace may send in a minute. */
const mediaLimit = 1_200

/** What became of a request that was to be counted; `wait` is for how long the limit is reached. */
interface Taken {
  readonly count: Count
  readonly wait?: Duration.Duration
}

/** Counts a request unless the limit is reached. */
const makeTake =
  (limiter: Context.Service.Shape<typeof RateLimiter.RateLimiter>, limit: number, prefix = "") =>
  (policy: Count["policy"], key: string) =>
    limiter.consume({ key: `${prefix}${key}`, limit, window }).pipe(
      Effect.map(({ remaining, resetAfter }): Taken => ({ count: { policy, remaining, resetAfter } })),
      Effect.catchReason("RateLimiterError", "RateLimitExceeded", ({ retryAfter: wait }) =>
        Effect.succeed({ count: { policy, remaining: 0, resetAfter: wait }, wait })
      )
    )

/**
 * Counts the requests of each workspace, over all processes, and refuses those of keys beyond the limit. Those of a person count
 * as well, and are refused only once that person alone has sent as many there: a key must not keep an admin from revoking it.
 * Fails open: if counting fails, the request goes through.
 */
export const makeConsume = Effect.fnUntraced(function* (limit: number, prefix: "" | "media " = "") {
  const limiter = yield* RateLimiter.RateLimiter

  const respond = (counts: ReadonlyArray<Count>, wait?: Duration.Duration) => {
    const headers = addHeaders(limitHeaders(limit, counts))
    if (wait === undefined) return headers
    const who = counts.length === 1 ? "The workspace" : "One person"
    return headers.pipe(
      Effect.andThen(retryAfter(wait)),
      Effect.andThen(fail(Problem.RateLimited, { detail: `${who} may send ${counted(limit, "request")} a minute` }))
    )
  }

  const take = makeTake(limiter, limit, prefix)

  /** Counts a request beyond the limit too, in the same windows: the limiter counts none without a limit. */
  const add = (policy: Count["policy"], key: string) => {
    const most = limit * 1_000
    return Effect.map(
      limiter.consume({ key: `${prefix}${key}`, limit: most, window }),
      ({ remaining, resetAfter }): Count => ({ policy, remaining: remaining - most + limit, resetAfter })
    )
  }

  const consumeAsKey = (workspaceId: string) =>
    Effect.flatMap(take("workspace", workspaceId), ({ count, wait }) => respond([count], wait))

  const consumeAsPerson = Effect.fnUntraced(function* (workspaceId: string, userId: string) {
    const person = yield* take("person", `${workspaceId} ${userId}`)
    const workspace = yield* add("workspace", workspaceId)
    yield* respond([workspace, person.count], person.wait)
  })

  const consume = (caller: Caller) =>
    (caller._tag === "Key"
      ? consumeAsKey(caller.holder.workspaceId)
      : consumeAsPerson(caller.holder.workspaceId, caller.holder.userId)
    ).pipe(
      Effect.catchTag("RateLimiterError", (error) =>
        Effect.logWarning("A request could not be counted and went through", error)
      )
    )

  return <A, E, R>(handler: Effect.Effect<A, E, R>) =>
    // A request within the process belongs to one that was counted.
    Effect.flatMap(InProcess, (isInProcess) =>
      isInProcess ? handler : Effect.flatMap(CurrentCaller, (caller) => Effect.andThen(consume(caller), handler))
    )
})

/** Counts a key's request as the middleware does, and returns its headers; nothing, and nothing is counted, where the limit is reached. */
export const makeCountKeyRequest = (limit: number) =>
  Effect.map(RateLimiter.RateLimiter, (limiter) => {
    const take = makeTake(limiter, limit)
    return (workspaceId: string) =>
      Effect.map(take("workspace", workspaceId), ({ count, wait }) =>
        wait === undefined ? limitHeaders(limit, [count]) : undefined
      )
  })

export const rateLimitLayer = (limit: number) =>
  Layer.merge(
    Layer.effect(RateLimit, Effect.map(makeConsume(limit), RateLimit.of)),
    Layer.effect(MediaRateLimit, Effect.map(makeConsume(mediaLimit, "media "), MediaRateLimit.of))
  )
