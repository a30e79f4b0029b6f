import { Result, Schema, Struct } from "effect"
import type { PostMedia } from "../../domain/media/media.ts"
import { type ChainPart, chainFor, Thread } from "../../domain/posts/thread.ts"
import { Reply } from "../../domain/publishing/reply.ts"
import { nextReply } from "../../domain/publishing/threadCursor.ts"
import { JsonTime } from "../postgres/rows.ts"
import { Claim } from "./Targets.ts"

const ClaimRow = Schema.Struct({
  ...Struct.omit(Claim.fields, ["dueFrom", "text", "parts", "isThread", "reply"]),
  /** When it is due, in milliseconds after the claim was made, by the database's clock; 0 where it was due. */
  dueIn: Schema.Finite,
  /** The same after the claim was asked for, by the clock of this process; null where it has no time of its own. */
  dueInOwn: Schema.NullOr(Schema.Finite),
  content: Schema.String,
  thread: Thread,
  /** The parts that are out. */
  published: Schema.Array(
    Schema.Struct({
      // A later part replies to each.
      id: Schema.String,
      cid: Schema.NullOr(Schema.String),
      url: Schema.NullOr(Schema.String),
      published_at: JsonTime
    })
  ),
  replyTo: Schema.NullOr(Reply),
  // Not checked again here: a text that a later rule refuses must not fail the whole claim.
  overrides: Schema.Record(Schema.String, Schema.String)
})

const decodeRow = Schema.decodeUnknownResult(ClaimRow)

/** What names a claim. */
export const ClaimKeys = Schema.Struct({ targetId: ClaimRow.fields.targetId, token: ClaimRow.fields.token })
const isKeyed = Schema.is(ClaimKeys)

/** A row of the claim statement, of which only the keys are checked. */
export const UndecodedRow = Schema.declare(
  (row: unknown): row is Pick<Claim, "targetId" | "token"> & { readonly [column: string]: unknown } => isKeyed(row),
  { expected: "a row with the keys of a claim" }
)

/** Fails of a target that stands behind the end of its thread, as of any other row that can't be read. */
const decodePart = Schema.decodeUnknownResult(
  Schema.declare((part: unknown): part is ChainPart<PostMedia> => part !== undefined, {
    expected: "a part of the thread"
  })
)

/** When a claim was asked for and answered, in milliseconds of the monotonic clock. */
export interface ClaimTimes {
  readonly asked: number
  readonly answered: number
}

/** When a target may be sent, by the monotonic clock: once it is due by both clocks, so that a fast one sends nothing early. */
export const dueFrom = (
  { dueIn, dueInOwn }: { readonly dueIn: number; readonly dueInOwn: number | null },
  { answered, asked }: ClaimTimes
): number => Math.max(answered + dueIn, asked + (dueInOwn ?? 0))

/** Reads a row of the claim statement. Fails where a later version stored what this one does not know. */
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
