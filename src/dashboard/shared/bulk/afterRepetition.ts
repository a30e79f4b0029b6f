import type { PostJson } from "../../api/postStatus.ts"
import type { PostRequest, SendOutcome } from "../actions/action.ts"

const sameTime = (left: string | null, right: string | null): boolean =>
  left === right || (left !== null && right !== null && Date.parse(left) === Date.parse(right))

export const hasChange = (post: PostJson, request: PostRequest): boolean => {
  if (request.kind !== "change") return false
  const { body } = request
  if ("scheduled_at" in body) {
    return sameTime(post.scheduled_at, body.scheduled_at) && (body.status ?? post.status) === post.status
  }
  if ("tags" in body) {
    return post.tags.length === body.tags.length && post.tags.every((tag, index) => tag === body.tags[index])
  }
  return post.status === body.status
}

/**
 * After a conflict, the newer revision may come from an earlier attempt of this request. The request then counts as
 * done.
 */
export const afterRepetition = (request: PostRequest, outcome: SendOutcome): SendOutcome =>
  !outcome.ok && outcome.current !== undefined && hasChange(outcome.current, request)
    ? { ok: true, data: outcome.current }
    : outcome
