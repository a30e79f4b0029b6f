import type { DateTime } from "effect"
import type { PublishedPart } from "../posts/targetParts.ts"
import type { RepliedPost, Reply } from "./reply.ts"
import { isProcessing, outcomeUnknown, type Settlement, type TargetSettlement } from "./settlement.ts"

/** Part `part` of `parts`, from 1. A single post is its only part. */
export interface ThreadCursor {
  readonly part: number
  readonly parts: number
}

export const namePart = ({ part, parts }: ThreadCursor, message: string): string =>
  parts === 1 ? message : `Part ${part} of ${parts}: ${message}`

const named = /^Part (\d+) of \d+(: )?/

/** Reads a message that `namePart` made; undefined for other messages. */
export const readPart = (message: string): { readonly part: number; readonly said: string } | undefined => {
  const [prefix = "", part, isPrefix] = named.exec(message) ?? []
  if (part === undefined) return undefined
  return { part: Number(part), said: isPrefix === undefined ? message : message.slice(prefix.length) }
}

const replied = ({ cid, id }: PublishedPart): ReadonlyArray<RepliedPost> =>
  id === null ? [] : [{ platformPostId: id, cid }]

/**
 * The post to which the next part replies: the last published part, or the post that the thread continues; null without
 * either.
 */
export const nextReply = (published: ReadonlyArray<PublishedPart>, replyTo: Reply | null): Reply | null => {
  const last = published.at(-1)
  if (last === undefined) return replyTo
  const [parent] = replied(last)
  const root = replyTo?.root ?? published.flatMap(replied)[0]
  return parent === undefined || root === undefined ? replyTo : { root, parent, parentAt: last.published_at }
}

/**
 * After a published part, the next part is due at `next`, or immediately if null. Nothing can reply to a part without
 * an id.
 */
export const settlePart = (
  settlement: Settlement,
  cursor: ThreadCursor,
  next: DateTime.Utc | null
): TargetSettlement => {
  if (isProcessing(settlement)) return settlement
  if (settlement._tag !== "Published") {
    const { error } = settlement
    return { ...settlement, error: { ...error, message: namePart(cursor, error.message) } }
  }
  if (cursor.part >= cursor.parts) return settlement
  return settlement.publication.platformPostId === null
    ? outcomeUnknown(namePart(cursor, "The platform accepted it but did not say where it is, so nothing can follow it"))
    : { _tag: "Continued", publication: settlement.publication, next }
}
