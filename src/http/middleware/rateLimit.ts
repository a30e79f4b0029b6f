import { Duration, Effect, Layer } from "effect"
import { type Caller, CurrentCaller } from "../../api/Authentication.ts"
import * as Problem from "../../api/problems.ts"
import { MediaRateLimit, RateLimit } from "../../api/RateLimit.ts"
import { counted } from "../../domain/counted.ts"
import { RateLimits } from "../../repo/rateLimit/counts.ts"
import { InProcess } from "../InProcess.ts"
import { fail } from "../problems.ts"
import { rateLimitWindow as window } from "../ServiceFacts.ts"
import { addHeaders, retryAfter, secondsOf } from "../responseHeaders.ts"

interface Count {
  readonly policy: "workspace" | "person"
  /** Negative beyond the limit. */
  readonly remaining: number
  readonly resetMillis: number
}

const leftOf = ({ policy, remaining, resetMillis }: Count) =>
  `"${policy}";r=${Math.max(0, remaining)};t=${secondsOf(resetMillis)}`

/** Makes the headers of draft-ietf-httpapi-ratelimit-headers. */
const makeLimitHeaders = (limit: number) => {
  const quota = `q=${limit};w=${Duration.toSeconds(window)}`
  const policyOf = ({ policy }: Count) => `"${policy}";${quota}`
  return (first: Count, second?: Count) =>
    second === undefined
      ? { "ratelimit-policy": policyOf(first), ratelimit: leftOf(first) }
      : {
          "ratelimit-policy": `${policyOf(first)}, ${policyOf(second)}`,
          ratelimit: `${leftOf(first)}, ${leftOf(second)}`
        }
}

/** The most requests for media files per workspace and minute. */
const mediaLimit = 1_200

/**
 * Counts each workspace's requests over all processes, and refuses a key's requests beyond the limit. A person's
 * requests count too, but are refused only beyond a limit of that person alone, so that a key's requests can't keep an
 * admin from revoking the key.
 */
export const makeConsume = Effect.fnUntraced(function* (limit: number, prefix: "" | "media " = "") {
  const { take } = yield* RateLimits
  const limitHeaders = makeLimitHeaders(limit)

  const refuse = (wait: number, who: string) =>
    Effect.andThen(
      retryAfter(Duration.millis(wait)),
      fail(Problem.RateLimited, { detail: `${who} may send ${counted(limit, "request")} a minute` })
    )

  const consumeAsKey = (workspaceId: string) => {
    const { isTaken, millis, remaining } = take({ key: `${prefix}${workspaceId}`, limit, window })
    const headers = addHeaders(limitHeaders({ policy: "workspace", remaining, resetMillis: millis }))
    return isTaken ? headers : Effect.andThen(headers, refuse(millis, "The workspace"))
  }

  const consumeAsPerson = (workspaceId: string, userId: string) => {
    const person = take({ key: `${prefix}${workspaceId} ${userId}`, limit, window })
    // `take` counts only below its limit. This limit is too high to be reached, so that people's requests always count.
    const most = limit * 1_000
    const workspace = take({ key: `${prefix}${workspaceId}`, limit: most, window })
    const headers = addHeaders(
      limitHeaders(
        { policy: "workspace", remaining: workspace.remaining - most + limit, resetMillis: workspace.millis },
        { policy: "person", remaining: person.remaining, resetMillis: person.millis }
      )
    )
    return person.isTaken ? headers : Effect.andThen(headers, refuse(person.millis, "One person"))
  }

  const consume = (caller: Caller) =>
    Effect.suspend(() =>
      caller._tag === "Key"
        ? consumeAsKey(caller.holder.workspaceId)
        : consumeAsPerson(caller.holder.workspaceId, caller.holder.userId)
    )

  return <A, E, R>(handler: Effect.Effect<A, E, R>) =>
    // A request within the process belongs to a request that was counted.
    Effect.flatMap(InProcess, (isInProcess) =>
      isInProcess ? handler : Effect.flatMap(CurrentCaller, (caller) => Effect.andThen(consume(caller), handler))
    )
})

/**
 * Counts a key's request as the middleware does, and returns its headers. Beyond the limit, counts nothing and returns
 * undefined.
 */
export const makeCountKeyRequest = (limit: number) =>
  Effect.map(RateLimits, ({ take }) => {
    const limitHeaders = makeLimitHeaders(limit)
    return (workspaceId: string) => {
      const { isTaken, millis, remaining } = take({ key: workspaceId, limit, window })
      return isTaken ? limitHeaders({ policy: "workspace", remaining, resetMillis: millis }) : undefined
    }
  })

export const rateLimitLayer = (limit: number) =>
  Layer.merge(
    Layer.effect(RateLimit, Effect.map(makeConsume(limit), RateLimit.of)),
    Layer.effect(MediaRateLimit, Effect.map(makeConsume(mediaLimit, "media "), MediaRateLimit.of))
  )
