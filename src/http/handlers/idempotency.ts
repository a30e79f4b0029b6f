import { Duration, Effect, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentActor } from "../../api/Authorization.ts"
import type { IdempotencyInFlight } from "../../domain/errors.ts"
import type { RevisionMatch } from "../../domain/posts/revisionMatch.ts"
import type { Once } from "../../repo/idempotency.ts"
import { addHeaders, retryAfter } from "../responseHeaders.ts"

interface IdempotencyHeaders {
  readonly "idempotency-key"?: string
  /** Decoded. The request's fingerprint has the header as it was sent. */
  readonly "if-match"?: RevisionMatch
}

/** `answer` encodes the response for repetitions. */
export const readKey = Effect.fnUntraced(function* <A>(
  answer: Schema.Codec<A, Schema.Json>,
  headers: IdempotencyHeaders,
  body: HttpServerRequest.HttpServerRequest["text"] = Effect.succeed("")
) {
  const key = headers["idempotency-key"]
  if (key === undefined) return undefined
  const { workspaceId } = yield* CurrentActor
  const { headers: sent, method, url } = yield* HttpServerRequest.HttpServerRequest
  const condition = sent["if-match"]
  const head = [`${method} ${url}`, ...(condition === undefined ? [] : [`If-Match: ${condition}`])].join("\n")
  return { workspaceId, key, request: `${head}\n${yield* Effect.orDie(body)}`, answer }
})

/** A header tells if the result is replayed. */
export const respondOnce = <A, E, R>(
  done: Effect.Effect<Once<A>, E | IdempotencyInFlight, R>
): Effect.Effect<A, E | IdempotencyInFlight, R> =>
  done.pipe(
    Effect.tap(({ replayed }) => (replayed ? addHeaders({ "idempotent-replayed": "true" }) : Effect.void)),
    Effect.map(({ result }) => result),
    Effect.tapErrorTag("IdempotencyInFlight", () => retryAfter(Duration.seconds(1)))
  )
