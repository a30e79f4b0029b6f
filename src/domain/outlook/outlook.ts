import { DateTime, Schema } from "effect"
import { PostId } from "../ids.ts"
import { describedInstant } from "../instant.ts"
import { outlookStates } from "../plain/outlook.ts"
import { Platform } from "../platform.ts"
import { PostStatus } from "../posts/post.ts"
import * as sample from "../samples.ts"
import { byLevel, Finding, findingExample, isUnchecked } from "./finding.ts"

/** The most findings that are listed for a post. */
const maxFindings = 20

/** The most posts that a check covers, the earliest first. */
export const maxCheckedPosts = 5_000

export const OutlookState = Schema.Literals(outlookStates)
export type OutlookState = typeof OutlookState.Type

export const outlookPostExample = {
  id: sample.postId,
  scheduled_at: "2030-01-31T09:00:00.000Z",
  status: "scheduled",
  excerpt: "Our new release is out.",
  platforms: sample.platforms,
  state: "needs_you",
  findings: [findingExample]
} as const

export const OutlookPost = Schema.Struct({
  id: PostId.annotateKey({ description: "The post's id." }),
  scheduled_at: describedInstant("The post's time."),
  status: PostStatus,
  excerpt: Schema.String.annotateKey({ description: "The beginning of the post's text." }),
  platforms: Schema.Array(Platform).annotateKey({ description: "The post's platforms." }),
  state: OutlookState.annotateKey({
    description:
      "`fine`: it goes out as planned; it may have notes. `needs_you`: somebody has to act. `unchecked`: nothing of the kind was found, but something could not be checked."
  }),
  findings: Schema.Array(Finding).annotateKey({
    description: `What was found, at most ${maxFindings}: first what needs somebody. Empty if everything is fine.`
  })
})
  .annotate({ identifier: "OutlookPost", description: "A post that is due soon, as it was checked." })
  .pipe(Schema.annotateEncoded({ examples: [outlookPostExample] }))
export type OutlookPost = typeof OutlookPost.Type

export const countsExample = { posts: 6, fine: 5, need_you: 1, unchecked: 0 } as const

const count = (description: string) => Schema.Int.annotateKey({ description })

export const OutlookCounts = Schema.Struct({
  posts: count("The posts in the window: scheduled ones, and drafts with a time."),
  fine: count("Those that go out as planned."),
  need_you: count("Those that need somebody."),
  unchecked: count(
    `Those of which something could not be checked. Beyond the first ${maxCheckedPosts.toLocaleString("en")}, posts are not checked.`
  )
})
export type OutlookCounts = typeof OutlookCounts.Type

const stateOf = (findings: ReadonlyArray<Finding>): OutlookState => {
  if (findings.some(({ level }) => level === "needs_you")) return "needs_you"
  return findings.some(isUnchecked) ? "unchecked" : "fine"
}

export const withState = (
  post: Omit<OutlookPost, "findings" | "state">,
  findings: ReadonlyArray<Finding>
): OutlookPost => ({
  ...post,
  state: stateOf(findings),
  findings: findings.toSorted(byLevel).slice(0, maxFindings)
})

/** `unseen` posts are in the window, but were not checked. */
export const countStates = (posts: ReadonlyArray<OutlookPost>, unseen: number): OutlookCounts => {
  const having = (state: OutlookState) => posts.filter((post) => post.state === state).length
  return {
    posts: posts.length + unseen,
    fine: having("fine"),
    need_you: having("needs_you"),
    unchecked: having("unchecked") + unseen
  }
}

const rank: Readonly<Record<OutlookState, number>> = { needs_you: 0, unchecked: 1, fine: 2 }

/** The first `limit` posts: those that need somebody, then those that could not be checked; each by time. */
export const mostUrgent = (posts: ReadonlyArray<OutlookPost>, limit: number): ReadonlyArray<OutlookPost> =>
  posts
    .toSorted(
      (one, other) => rank[one.state] - rank[other.state] || DateTime.Order(one.scheduled_at, other.scheduled_at)
    )
    .slice(0, limit)
