import { Result, Schema, Struct } from "effect"
import type { PostMedia } from "../../domain/media/media.ts"
import { type ChainPart, chainFor, Thread } from "../../domain/posts/thread.ts"
import { Reply } from "../../domain/publishing/reply.ts"
import { nextReply } from "../../domain/publishing/threadCursor.ts"
import { JsonTime } from "../postgres/rows.ts"
import { Claim } from "./Targets.ts"

const ClaimRow = Schema.Struct({
  ...Struct.omit(Claim.fields, ["dueFrom", "text", "parts", "isThread", "reply"]),
  /** Milliseconds from the claim to the due time by the database's clock; 0 if past. */
  dueIn: Schema.Finite,
  /** Milliseconds from the request to the due time by this process's clock. */
  dueInOwn: Schema.NullOr(Schema.Finite),
  content: Schema.String,
  thread: Thread,
  published: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      cid: Schema.NullOr(Schema.String),
      url: Schema.NullOr(Schema.String),
      published_at: JsonTime
    })
  ),
  replyTo: Schema.NullOr(Reply),
  // Not checked again, because a text that a later rule refuses must not fail the whole claim.
  overrides: Schema.Record(Schema.String, Schema.String)
})

const decodeRow = Schema.decodeUnknownResult(ClaimRow)

export const ClaimKeys = Schema.Struct({ targetId: ClaimRow.fields.targetId, token: ClaimRow.fields.token })
const isKeyed = Schema.is(ClaimKeys)

export const UndecodedRow = Schema.declare(
  (row: unknown): row is Pick<Claim, "targetId" | "token"> & { readonly [column: string]: unknown } => isKeyed(row),
  { expected: "a row with the keys of a claim" }
)

const decodePart = Schema.decodeUnknownResult(
  Schema.declare((part: unknown): part is ChainPart<PostMedia> => part !== undefined, {
    expected: "a part of the thread"
  })
)

export interface ClaimTimes {
  readonly asked: number
  readonly answered: number
}

/** The target is due by both clocks from this time on, so that a fast clock sends nothing early. */
export const dueFrom = (
  { dueIn, dueInOwn }: { readonly dueIn: number; readonly dueInOwn: number | null },
  { answered, asked }: ClaimTimes
): number => Math.max(answered + dueIn, asked + (dueInOwn ?? 0))

/** Fails if a later version stored values that this one does not know. */
export const readClaim = (row: typeof UndecodedRow.Type, times: ClaimTimes): Result.Result<Claim, Schema.SchemaError> =>
  Result.flatMap(decodeRow(row), ({ content, dueIn, dueInOwn, overrides, published, replyTo, thread, ...claim }) => {
    const chain = chainFor(claim.platform, { content, overrides, media: claim.media, card: claim.card, thread })
    return Result.map(decodePart(chain[claim.part - 1]), ({ card, media, text }) => {
      return {
        ...claim,
        dueFrom: dueFrom({ dueIn, dueInOwn }, times),
        card,
        media,
        text,
        parts: chain.length,
        isThread: thread.length > 0,
        reply: nextReply(published, replyTo)
      }
    })
  })
