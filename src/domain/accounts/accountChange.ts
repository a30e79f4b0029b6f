import { Schema } from "effect"
import { counted } from "../counted.ts"
import { accountName, platformName } from "../plain/platforms.ts"
import { LivePlatform } from "../platform.ts"

export const WaitingPosts = Schema.Struct({
  drafts: Schema.Int.annotateKey({ description: "Drafts, including those that wait for approval." }),
  scheduled: Schema.Int.annotateKey({ description: "Scheduled posts, including those that wait for another attempt." }),
  failed: Schema.Int.annotateKey({ description: "Failed posts, which can be published again." })
}).annotate({
  identifier: "WaitingPosts",
  description: "The posts that wait for an account.",
  examples: [{ drafts: 2, scheduled: 5, failed: 0 }]
})
export type WaitingPosts = typeof WaitingPosts.Type

/**
 * Both choices send the waiting posts from the new account. With `drafts`, scheduled posts become drafts first and keep
 * their times.
 */
export const WaitingPostsChoice = Schema.Literals(["replace", "drafts"])
export type WaitingPostsChoice = typeof WaitingPostsChoice.Type

/** `cancel` keeps the former account and revokes the access that the new account has granted. */
export const AccountDecision = Schema.Literals([...WaitingPostsChoice.literals, "cancel"])
export type AccountDecision = typeof AccountDecision.Type

export const AccountName = Schema.Struct({ accountId: Schema.String, username: Schema.String })

const countOf = (count: number, one: string): ReadonlyArray<string> => (count === 0 ? [] : [counted(count, one)])

/** `3 drafts, 1 scheduled post and 2 failed posts wait`, or `no post waits`. */
export const describeWaiting = ({ drafts, failed, scheduled }: WaitingPosts): string => {
  const counts = [
    ...countOf(drafts, "draft"),
    ...countOf(scheduled, "scheduled post"),
    ...countOf(failed, "failed post")
  ]
  const last = counts.at(-1)
  if (last === undefined) return "no post waits"
  const list = counts.length === 1 ? last : `${counts.slice(0, -1).join(", ")} and ${last}`
  return `${list} ${drafts + failed + scheduled === 1 ? "waits" : "wait"}`
}

/**
 * Another account is or was connected in this workspace. Nothing was changed, because a person has to decide about that
 * account's waiting posts.
 */
export class AnotherAccountConnected extends Schema.TaggedError<AnotherAccountConnected>()("AnotherAccountConnected", {
  platform: LivePlatform,
  current: AccountName,
  next: AccountName,
  waiting: WaitingPosts
}) {
  override get message(): string {
    const { current, next, platform, waiting } = this
    return (
      `${accountName(platform, next.username)} is a different ${platformName(platform)} account from ${accountName(platform, current.username)}, ` +
      `for which ${describeWaiting(waiting)}`
    )
  }
}

/** The account can't be replaced while the outcome of a send is unknown. */
export class OutcomePending extends Schema.TaggedError<OutcomePending>()("OutcomePending", {
  platform: LivePlatform,
  username: Schema.String
}) {
  override get message(): string {
    return (
      `A post is being sent to ${platformName(this.platform)} from ${accountName(this.platform, this.username)}, or its outcome is not known yet. ` +
      "Nothing was changed; try again in a few minutes"
    )
  }
}
