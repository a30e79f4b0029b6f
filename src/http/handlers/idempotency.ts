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

/**
 * Runs a request once per Idempotency-Key, if it has one; a repetition gets the response of the first. Takes the headers and
 * the body of the current request, and then the form of its response with what it does. Only the first step needs the request.
 */
export const makeOnce = Effect.map(Repo, ({ idempotency }) =>
  Effect.fnUntraced(function* (headers: IdempotencyHeaders, body: string) {
    const { workspaceId } = yield* CurrentActor
    const { headers: sent, method, url } = yield* HttpServerRequest.HttpServerRequest
    const condition = sent["if-match"]
    const head = [`${method} ${url}`, ...(condition === undefined ? [] : [`If-Match: ${condition}`])].join("\n")
    const key = headers["idempotency-key"]

    return <A, I extends Schema.Json, E, R>(
      response: Schema.Codec<A, I>,
      effect: Effect.Effect<A, E, R>,
      atOnce?: AtOnce<A>
    ): Effect.Effect<A, E | WritingError, R> =>
      key === undefined
        ? effect
        : idempotency.once({ workspaceId, key, request: `${head}\n${body}` }, response, effect, atOnce).pipe(
            Effect.tap(({ replayed }) => (replayed ? addHeaders({ "idempotent-replayed": "true" }) : Effect.void)),
            Effect.map(({ result }) => result),
            Effect.tapErrorTag("IdempotencyInFlight", () => retryAfter(Duration.seconds(1)))
          )
  })
)

/** Has a change of a post written once for the key of the current request. */
export const makeOncePost = Effect.map(
  makeOnce,
  (onceFor) => (headers: IdempotencyHeaders, body: string) =>
    Effect.map(
      onceFor(headers, body),
      (once): Writing<Post> =>
        (write) =>
          Effect.map(once(ReplayableOnePost, asData(write)), ({ data }) => data)
    )
)
