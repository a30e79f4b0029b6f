import { Result, Schema, Struct } from "effect"
import type { PostMedia } from "../../domain/media/media.ts"
import { type ChainPart, chainFor, Thread } from "../../domain/posts/thread.ts"
import { Reply } from "../../domain/publishing/reply.ts"
import { nextReply } from "../../domain/publishing/threadCursor.ts"
import { JsonTime } from "../postgres/rows.ts"
import { Claim } from "./Targets.ts"

const ClaimRow = Schema.Struct({
  ...Struct.omit(Claim.fields, ["dueFrom", "text", "parts", "isThread", "reply"]),
  /** In milliseconds after the claim, by the database's clock; 0 where it was due. */
  dueIn: Schema.Finite,
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

/**
 * Reads a row of a claim statement that was answered at `answered`, in milliseconds of the monotonic clock. Fails where a later version
 * stored what this one does not know.
 */
export const readClaim = (row: typeof UndecodedRow.Type, answered: number): Result.Result<Claim, Schema.SchemaError> =>
  Result.flatMap(decodeRow(row), ({ content, dueIn, overrides, published, replyTo, thread, ...claim }) => {
    const chain = chainFor(claim.platform, { content, overrides, media: claim.media, card: claim.card, thread })
    return Result.map(decodePart(chain[claim.part - 1]), ({ card, media, text }) => {
      return {
        ...claim,
        dueFrom: answered + dueIn,
        card,
        media,
        text,
        parts: chain.length,
        isThread: thread.length > 0,
        reply: nextReply(published, replyTo)
      }
    })
  })
