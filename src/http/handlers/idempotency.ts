import { Duration, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentActor } from "../../api/Authorization.ts"
import { DatabaseUnavailable, type IdempotencyInFlight } from "../../domain/errors.ts"
import type { Actor } from "../../domain/people/actor.ts"
import type { RevisionMatch } from "../../domain/posts/revisionMatch.ts"
import type { IdempotencyKey, Once } from "../../repo/idempotency.ts"
import { addHeaders, retryAfter } from "../responseHeaders.ts"

interface IdempotencyHeaders {
  readonly "idempotency-key"?: string
  /** The decoded header. The request's fingerprint uses the header as it was sent. */
  readonly "if-match"?: RevisionMatch
}

interface Repeatable<A> {
  readonly answer: Schema.Codec<A, Schema.Json>
  readonly headers: IdempotencyHeaders
  readonly body?: HttpServerRequest.HttpServerRequest["text"]
}

const readKey = Effect.fnUntraced(function* <A>(
  { author, predecessors, workspaceId }: Actor,
  { answer, body = Effect.succeed(""), headers }: Repeatable<A>
) {
  const key = headers["idempotency-key"]
  if (key === undefined) return undefined
  const { headers: sent, method, url } = yield* HttpServerRequest.HttpServerRequest
  const condition = sent["if-match"]
  const head = [`${method} ${url}`, ...(condition === undefined ? [] : [`If-Match: ${condition}`])].join("\n")
  const request = `${head}\n${yield* Effect.orDie(body)}`
  return { workspaceId, key, authorId: author.id, formerIds: predecessors, request, answer }
})

const isUnavailable = Schema.is(DatabaseUnavailable)

const asRepeatable = <E>(error: E): E | DatabaseUnavailable =>
  isUnavailable(error) && error.explanation === undefined
    ? new DatabaseUnavailable({ operation: error.operation, cause: error.cause, isRepeatable: true })
    : error

/** Runs an operation once for each Idempotency-Key. A response that repeats an earlier result says so in a header. */
export const once = Effect.fnUntraced(function* <A, E, R>(
  repeatable: Repeatable<A>,
  operation: (actor: Actor, key: IdempotencyKey<A>) => Effect.Effect<Once<A>, E | IdempotencyInFlight, R>
) {
  const actor = yield* CurrentActor
  const key = yield* readKey(actor, repeatable)
  const { replayed, result } = yield* operation(actor, key).pipe(
    Effect.mapError((error) => (key === undefined ? error : asRepeatable(error))),
    Effect.tapErrorTag("IdempotencyInFlight", () => retryAfter(Duration.seconds(1)))
  )
  if (replayed) yield* addHeaders({ "idempotent-replayed": "true" })
  return result
})
