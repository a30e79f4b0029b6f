import type { PostJson } from "../../api/postStatus.ts"
import { type Failure, hasCode, hasStatus, isUnconfirmed } from "../../api/errors.ts"
import type { Done, Job, ManyChoice } from "../actions/action.ts"
import { describeRefusal } from "../actions/refusal.ts"
import type { Skipped } from "./plan.ts"
import type { JobResult } from "./runJobs.ts"

export interface Group {
  readonly why: string
  readonly posts: ReadonlyArray<PostJson>
}

export const groupByReason = (posts: ReadonlyArray<Skipped>): ReadonlyArray<Group> =>
  Array.from(
    Map.groupBy(posts, ({ why }) => why),
    ([why, of]) => ({ why, posts: of.map(({ post }) => post) })
  )

export interface Summary {
  readonly done: ReadonlyArray<Done>
  readonly left: ReadonlyArray<Group>
  readonly again: ReadonlyArray<Job>
  /** The current versions of posts that others changed. */
  readonly changed: ReadonlyArray<PostJson>
  readonly gone: ReadonlyArray<string>
}

const passes = (error: Failure): boolean => isUnconfirmed(error) || hasStatus(error, 401, 429)

const isGone = (result: JobResult): boolean => result.state === "refused" && hasCode(result.error, "not_found")

/** A deletion counts as done if the post was already deleted. */
const isDone = (result: JobResult): boolean =>
  result.state === "done" || (result.job.request.kind === "delete" && isGone(result))

const whyOf = (result: JobResult): string =>
  result.state === "refused" ? describeRefusal(result, result.job) : "Not sent. Nothing was changed here."

/** `before` are the posts that were done before a retry. */
export const summarize = (results: ReadonlyArray<JobResult>, before: Summary["done"] = []): Summary => {
  const left = results.filter((result) => !isDone(result))
  const mayBeSent = left.filter((result) => result.state !== "refused" || passes(result.error))
  return {
    done: [
      ...before,
      ...results.filter(isDone).map((result) => ({
        before: result.job.post,
        after: result.state === "done" ? result.post : undefined
      }))
    ],
    left: groupByReason(left.map((result) => ({ post: result.job.post, why: whyOf(result) }))),
    again: mayBeSent.map(({ job }) => job),
    changed: results.flatMap((result) => (result.state === "refused" ? (result.current ?? []) : [])),
    gone: results.filter(isGone).map(({ job }) => job.post.id)
  }
}

/** Undefined if it can't be undone. */
export const undoOf = ({ undo }: ManyChoice, { done }: Pick<Summary, "done">): ManyChoice | undefined =>
  done.length > 0 ? undo?.(done) : undefined
