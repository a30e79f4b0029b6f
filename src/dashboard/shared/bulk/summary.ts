import type { Post } from "../../../domain/posts/post.ts"
import { type Failure, describeFailure, isUnconfirmed, withPeriod } from "../../api/errors.ts"
import type { BulkAction, Job } from "./plan.ts"
import type { JobResult } from "./runJobs.ts"

type PostJson = typeof Post.Encoded

/** Posts that were left as they are for the same reason. */
export interface Group {
  readonly why: string
  readonly posts: ReadonlyArray<PostJson>
}

export interface Summary {
  readonly done: ReadonlyArray<{ readonly before: PostJson; readonly after: PostJson | undefined }>
  readonly left: ReadonlyArray<Group>
  /** What may be sent once more as it is. */
  readonly again: ReadonlyArray<Job>
  /** The posts that are not as they were any more, as they are by now. */
  readonly changed: ReadonlyArray<PostJson>
  /** The posts that are gone. */
  readonly gone: ReadonlyArray<string>
}

/** What became of a post that is not as it was any more, and what helps. */
const describeMeanwhile = ({ post, request }: Job, current: PostJson | undefined): string => {
  switch (current?.status === post.status ? undefined : current?.status) {
    case "published":
      return request.kind === "delete"
        ? "Went out meanwhile. Look at each, then do it again."
        : "Went out meanwhile. Published posts stay as they are."
    case "publishing":
      return "Going out right now, so they can’t be changed."
    case "failed":
      return request.kind === "delete"
        ? "Failed at their time meanwhile. Look at each, then do it again."
        : "Failed at their time meanwhile. Open one to publish it again."
    default:
      return "Changed by somebody else meanwhile. Look at each, then do it again."
  }
}

/** Why a post was refused, and what helps. */
const describeRefusal = (error: Failure, job: Job, current: PostJson | undefined): string => {
  if (error._tag === "ConnectionError") {
    return "It is not known whether these changes arrived. Check the connection, then try again: what was changed already stays so."
  }
  if (error.code === "revision_mismatch") return describeMeanwhile(job, current)
  if (error.status === 404) return "Deleted meanwhile."
  if (error.status === 401) return "The session had ended. You are logged in again: try again."
  const [issue] = error.errors
  return issue === undefined || error.status >= 500 ? describeFailure(error) : withPeriod(issue.message)
}

const passes = (error: Failure): boolean =>
  isUnconfirmed(error) || (error._tag === "ApiError" && [401, 429].includes(error.status))

const isCode = (result: JobResult, code: string): boolean =>
  result.state === "refused" && result.error._tag === "ApiError" && result.error.code === code

/** Who deletes a post that is gone has what they wanted. */
const isDone = (result: JobResult): boolean =>
  result.state === "done" || (result.job.request.kind === "delete" && isCode(result, "not_found"))

const whyOf = (result: JobResult): string =>
  result.state === "refused"
    ? describeRefusal(result.error, result.job, result.current)
    : "Not sent. Nothing was changed here."

/** What became of an action, as it is told at the end, with what was done before the rest was sent again. */
export const summarize = (results: ReadonlyArray<JobResult>, before: Summary["done"] = []): Summary => {
  const left = results.filter((result) => !isDone(result))
  const mayBeSent = left.filter((result) => result.state !== "refused" || passes(result.error))
  const byReason = Map.groupBy(left, whyOf)
  return {
    done: [
      ...before,
      ...results.filter(isDone).map((result) => ({
        before: result.job.post,
        after: result.state === "done" ? result.post : undefined
      }))
    ],
    left: Array.from(byReason, ([why, of]) => ({ why, posts: of.map(({ job }) => job.post) })),
    again: mayBeSent.map(({ job }) => job),
    changed: results.flatMap((result) => (result.state === "refused" ? (result.current ?? []) : [])),
    gone: results.filter((result) => isCode(result, "not_found")).map(({ job }) => job.post.id)
  }
}

const posts = (count: number): string => (count === 1 ? "1 post" : `${count} posts`)

/** The words of an action, of so many posts. */
export const wordsOf = (action: BulkAction, count: number): { readonly doing: string; readonly done: string } => {
  const many = posts(count)
  switch (action.kind) {
    case "delete":
      return { doing: `Deleting ${many}`, done: `Deleted ${many}` }
    case "approve":
      return { doing: `Approving ${many}`, done: `Approved ${many}` }
    case "draft":
      return {
        doing: `Turning ${many} into ${count === 1 ? "a draft" : "drafts"}`,
        done: `Turned ${many} into ${count === 1 ? "a draft" : "drafts"}`
      }
    case "addTag":
      return { doing: `Tagging ${many} with #${action.tag}`, done: `Tagged ${many} with #${action.tag}` }
    case "removeTag":
      return { doing: `Removing #${action.tag} from ${many}`, done: `Removed #${action.tag} from ${many}` }
    case "undo":
      return { doing: `Moving ${many} back`, done: `Moved ${many} back` }
    case "moveDays":
    case "timeOfDay":
      return { doing: `Moving ${many}`, done: `Moved ${many}` }
  }
}

/** The action that takes back what was done; undefined where nothing does. */
export const undoOf = (action: BulkAction, { done }: Summary): BulkAction | undefined =>
  (action.kind === "moveDays" || action.kind === "timeOfDay") && done.length > 0
    ? { kind: "undo", times: new Map(done.map(({ before }) => [before.id, before.scheduled_at])) }
    : undefined
