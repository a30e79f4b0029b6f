import { isOpen } from "../../api/postStatus.ts"
import {
  describeFailure,
  describeUnanswered,
  findIssue,
  hasCode,
  hasStatus,
  isUnconfirmed,
  possibleTimes,
  withPeriod
} from "../../api/errors.ts"
import { describeClosed, type Job, type Refusal } from "./action.ts"
import { editPath } from "./openers.ts"

export type Refused = Pick<Job, "post"> & Partial<Job>

const describeConflict = (
  { by, current }: Pick<Refusal, "by" | "current">,
  { post, request }: Refused,
  name: string | undefined
) => {
  const again = `Look at ${name === undefined ? "each" : "it"}, then do it again.`
  const closed = current === undefined || current.status === post.status ? undefined : describeClosed(current)
  if (closed === undefined) return `${(name && by) ?? "Somebody else"} changed ${name ?? "them"} first. ${again}`
  if (current?.status === "publishing") return closed
  const event = current?.status === "published" ? "went out" : "failed"
  return `${name ?? "They"} already ${event}. ${request?.kind === "delete" ? again : closed}`
}

/** Says why a request was refused, and what to do. `name` is set for a single post. */
export const describeRefusal = ({ by, current, error }: Refusal, refused: Refused, name?: string): string => {
  if (error._tag === "ConnectionError") return describeUnanswered(name === undefined ? "these changes" : "this change")
  const { code, errors, status } = error
  if (code === "revision_mismatch") return describeConflict({ by, current }, refused, name)
  if (status === 404) return `Somebody else deleted ${name ?? "them"} first.`
  if (status === 401) return "The session had ended. Try again once you are logged in."
  if (isUnconfirmed(error)) return describeFailure(error)
  const [issue] = errors
  const why =
    findIssue(error, "scheduled_at") === undefined ? withPeriod(issue?.message ?? error.detail) : possibleTimes
  return name === undefined ? why : `${name} stays as it was. ${why}`
}

/** The page that helps after a refusal. Undefined if the message alone says what to do. */
export const stepAfter = (
  { post, request: change }: Refused,
  { current, error }: Refusal
): { readonly label: string; readonly path: string } | undefined => {
  if (error._tag === "ConnectionError" || hasStatus(error, 401, 403, 404, 429) || error.status >= 500) return undefined
  if (hasCode(error, "revision_mismatch", "invalid_state") || !isOpen(current ?? post)) {
    return { label: "See it", path: `/posts/${encodeURIComponent(post.id)}` }
  }
  return change?.kind === "delete" ? undefined : { label: "Edit", path: editPath(post.id) }
}
