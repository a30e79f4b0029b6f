import { Duration, Effect, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentActor } from "../../api/Authorization.ts"
import { ReplayableOnePost } from "../../api/posts/postResponses.ts"
import type { Post } from "../../domain/posts/post.ts"
import type { RevisionMatch } from "../../domain/posts/revisionMatch.ts"
import type { Writing, WritingError } from "../../posting/scheduling.ts"
import type { AtOnce } from "../../repo/idempotency.ts"
import { Repo } from "../../repo/Repo.ts"
import { addHeaders, retryAfter } from "../responseHeaders.ts"
import { asData } from "./shared.ts"

/** The headers of an endpoint that takes an Idempotency-Key. */
export interface IdempotencyHeaders {
  readonly "idempotency-key"?: string
  /** Decoded; the request's fingerprint has the header as it was sent. */
  readonly "if-match"?: RevisionMatch
}

/** Runs a request once per Idempotency-Key, if it has one; a repetition gets the response of the first. */
export const makeOnce = Effect.gen(function* () {
  const { idempotency } = yield* Repo

  const onceByKey = Effect.fn("once")(function* <A, I extends Schema.Json, E, R>(
    key: string,
    body: string,
    response: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>,
    atOnce: AtOnce<A> | undefined
  ) {
    const { workspaceId } = yield* CurrentActor
    const { headers: sent, method, url } = yield* HttpServerRequest.HttpServerRequest
    const condition = sent["if-match"]
    const head = [`${method} ${url}`, ...(condition === undefined ? [] : [`If-Match: ${condition}`])].join("\n")
    const request = { workspaceId, key, request: `${head}\n${body}` }
    const { result, replayed } = yield* idempotency
      .once(request, response, effect, atOnce)
      .pipe(Effect.tapErrorTag("IdempotencyInFlight", () => retryAfter(Duration.seconds(1))))
    if (replayed) yield* addHeaders({ "idempotent-replayed": "true" })
    return result
  })

  return <A, I extends Schema.Json, E, R>(
    headers: IdempotencyHeaders,
    body: string,
    response: Schema.Codec<A, I>,
    effect: Effect.Effect<A, E, R>,
    atOnce?: AtOnce<A>
  ) => {
    const key = headers["idempotency-key"]
    return key === undefined ? effect : onceByKey(key, body, response, effect, atOnce)
  }
})

type Request = CurrentActor | HttpServerRequest.HttpServerRequest

/** The way in which the current request has a change written. */
export const writingInRequest = <A>(
  run: <E>(write: Effect.Effect<A, E>, atOnce?: AtOnce<A>) => Effect.Effect<A, E | WritingError, Request>
): Effect.Effect<Writing<A>, never, Request> =>
  Effect.map(
    Effect.all([CurrentActor, HttpServerRequest.HttpServerRequest]),
    ([actor, request]): Writing<A> =>
      (write, atOnce) =>
        // Nothing but the request: what the caller of `write` provides, such as its span, stays.
        run(write, atOnce).pipe(
          Effect.provideService(CurrentActor, actor),
          Effect.provideService(HttpServerRequest.HttpServerRequest, request)
        )
  )

/** Has a change of a post written once for the key of the current request. */
export const makeOncePost = Effect.map(
  makeOnce,
  (once) => (headers: IdempotencyHeaders, body: string) =>
    writingInRequest<Post>((write) =>
      Effect.map(once(headers, body, ReplayableOnePost, asData(write)), ({ data }) => data)
    )
)
