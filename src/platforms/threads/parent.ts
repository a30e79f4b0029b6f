import { DateTime, Duration, Effect, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, TooEarly } from "../../domain/publishing/platformError.ts"
import type { MetaApi } from "../meta/api.ts"
import type { Dialect } from "../meta/dialect.ts"
import { MetaId } from "../meta/syntax.ts"
import { makeTimeline } from "../meta/timeline.ts"
import type { AccountAccess, PublishRequest } from "../PlatformClient.ts"

/** Threads may hide a new post from replies for this time. */
const longestUnseen = Duration.minutes(10)

/** A person may name a post long after it was published, and only the time of naming is known. */
const longestUntold = Duration.days(365)

/**
 * Finds Threads' id of the post that a part replies to. An address that a person entered does not have it, so the post
 * is looked for among the account's posts.
 */
export const makeParentOf = (dialect: Dialect, api: MetaApi) => {
  const listPosts = makeTimeline(dialect, api)
  return Effect.fn("Threads.parentOf")(function* (
    { reply = null }: Pick<PublishRequest, "reply">,
    account: AccountAccess
  ): Effect.fn.Return<string | undefined, PlatformError | DatabaseUnavailable> {
    if (reply === null) return undefined
    const { parent, parentAt } = reply
    if (parent.cid !== null && Schema.is(MetaId)(parent.cid)) return parent.cid
    const since = DateTime.subtractDuration(parentAt, longestUntold)
    for (const list of dialect.paths.lists(account)) {
      const { posts } = yield* listPosts(account, list, since)
      const found = posts.find(({ key }) => key === parent.platformPostId)
      if (found !== undefined) return found.mediaId
    }
    const isOld = DateTime.isGreaterThan(yield* DateTime.now, DateTime.addDuration(parentAt, longestUnseen))
    return yield* isOld
      ? new Rejected({ message: "The post that this one replies to is not among the account's posts on Threads" })
      : new TooEarly({ message: "Threads does not show the post that this one replies to yet" })
  })
}
