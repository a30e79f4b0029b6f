import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { OutcomeUnknown, type PlatformError, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import type { RepliedPost, Reply } from "../../domain/publishing/reply.ts"
import type { Account } from "../PlatformClient.ts"
import { postCollection, type RecordReply } from "./postRecord.ts"
import type { KeyedPost, PostKey, StoredPosts } from "./storedPost.ts"
import { knownCid, RecordUri } from "./syntax.ts"

/** A parent younger than this is assumed to exist, without asking the PDS. */
const trusted = Duration.minutes(1)

/**
 * The time in a part's record. It is at least a millisecond after the previous part's, even if the clock is behind,
 * because the order of posts with equal times is undefined. While the clock stands still, each part is a millisecond
 * later.
 */
export const createdAfter = ({ parentAt }: Reply, part: number, now: DateTime.Utc): DateTime.Utc =>
  DateTime.max(now, DateTime.add(parentAt, { milliseconds: Math.max(1, part - 1) }))

const isRecordUri = Schema.is(RecordUri)

/** Undefined for another account's post. */
const ownKey = (uri: string, { accountId }: Account): PostKey | undefined => {
  const [, , repo, collection, rkey] = uri.split("/")
  return isRecordUri(uri) && repo === accountId && collection === postCollection && rkey !== undefined
    ? { repo, rkey }
    : undefined
}

/** Turns OutcomeUnknown of a failed look into Unavailable, because the part was not sent. */
const whileUnsent = <A>(look: Effect.Effect<A, PlatformError | DatabaseUnavailable>) =>
  Effect.catchTag(look, "OutcomeUnknown", ({ message }) => new Unavailable({ message }))

interface Part extends KeyedPost {
  readonly reply: Reply
}

/** Reads unknown content ids of the posts that a part replies to, and checks that an older parent still exists. */
export const makeReplies = (stored: StoredPosts) =>
  Effect.fnUntraced(function* (
    part: Part,
    account: Account
  ): Effect.fn.Return<RecordReply, PlatformError | DatabaseUnavailable> {
    const { parent, parentAt, root } = part.reply

    /**
     * A published part whose parent was deleted later is still prepared, so that a look can recognize the part by its
     * key.
     */
    const cidOfDeleted = Effect.fnUntraced(function* (known: string | null, name: string) {
      const held = yield* whileUnsent(stored.getRecord(part, account))
      if (held._tag === "None") {
        return yield* new Rejected({ message: `${name} was deleted on Bluesky, so there is nothing to reply to` })
      }
      if (known !== null) return known
      return yield* new OutcomeUnknown({
        message: `Bluesky has a record under the key of this part. ${name} was deleted there`,
        conclusive: true
      })
    })

    const cidOf = Effect.fnUntraced(function* (earlier: RepliedPost, isTrusted: boolean, name: string) {
      const key = ownKey(earlier.platformPostId, account)
      if (key === undefined) {
        return yield* new Rejected({ message: `${name} is not known to be a post of ${account.username} on Bluesky` })
      }
      const known = knownCid(earlier.cid)
      if (known !== null && isTrusted) return known
      const found = yield* whileUnsent(stored.findCid(key, account))
      if (Option.isNone(found)) return yield* cidOfDeleted(known, name)
      const cid = found.value ?? known
      if (cid !== null) return cid
      return yield* new Unavailable({ message: "Bluesky did not give the content id of a part of this thread" })
    })

    // A future `parentAt` comes from another process's clock, so its age is unknown.
    const isRecent = DateTime.between(yield* DateTime.now, {
      minimum: parentAt,
      maximum: DateTime.addDuration(parentAt, trusted)
    })
    const parentCid = yield* cidOf(parent, isRecent, "The part before this one")
    const isRoot = root.platformPostId === parent.platformPostId
    const rootCid = isRoot ? parentCid : yield* cidOf(root, true, "The first part of this thread")
    return {
      root: { uri: root.platformPostId, cid: rootCid },
      parent: { uri: parent.platformPostId, cid: parentCid }
    }
  })
