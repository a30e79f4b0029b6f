import type { Post } from "../../../domain/posts/post.ts"
import { isAwaitingApproval, isOpen, isSomewhereOut } from "../../api/postStatus.ts"
import { addDays } from "../../ui/time/time.ts"
import { inZone } from "../../ui/time/zone.ts"
import { savableTags } from "../savableTags.ts"

type PostJson = typeof Post.Encoded

/** What is done with many posts. */
export type BulkAction =
  | { readonly kind: "delete" }
  | { readonly kind: "approve" }
  | { readonly kind: "draft" }
  | { readonly kind: "moveDays"; readonly days: number }
  | { readonly kind: "timeOfDay"; readonly hour: number; readonly minute: number }
  | { readonly kind: "addTag"; readonly tag: string }
  | { readonly kind: "removeTag"; readonly tag: string }
  /** Takes a move back. */
  | { readonly kind: "undo"; readonly times: ReadonlyMap<string, string | null> }

/** The single request that an action is for one post. */
export type BulkRequest =
  | { readonly kind: "delete" }
  | { readonly kind: "approve" }
  | {
      readonly kind: "change"
      readonly body:
        | { readonly scheduled_at: string | null }
        | { readonly tags: ReadonlyArray<string> }
        | { readonly status: "draft" }
    }

export interface Job {
  readonly post: PostJson
  readonly request: BulkRequest
}

/** Why an action is not for a post. */
export interface Skipped {
  readonly post: PostJson
  readonly why: string
}

export interface BulkPlan {
  readonly jobs: ReadonlyArray<Job>
  readonly skipped: ReadonlyArray<Skipped>
  /** How many of the posts wait for approval, and would wait for nobody once they are changed. */
  readonly voided: number
}

/** What is known of a selected post: how it is, and which revision the person has seen. */
export interface Known {
  readonly post: PostJson
  readonly seen: number
}

const closedWords = {
  published: "Published posts stay as they are.",
  publishing: "Posts that are going out now can’t be changed.",
  failed: "Failed posts can’t be changed. Open one to publish it again."
} as const

const alreadyThere = "Nothing to change."

const retime = (post: PostJson, to: Date, now: Date): BulkRequest | string => {
  if (to.getTime() === new Date(post.scheduled_at ?? "").getTime()) return alreadyThere
  return to < now
    ? "That time has passed for these. A post can only go out later."
    : { kind: "change", body: { scheduled_at: to.toISOString() } }
}

const changeOf = (post: PostJson, action: BulkAction, now: Date): BulkRequest | string => {
  const { id, scheduled_at: at, tags } = post
  switch (action.kind) {
    case "moveDays":
      return at === null
        ? "These have no time that could be moved."
        : retime(post, addDays(inZone(at), action.days), now)
    case "timeOfDay": {
      if (at === null) return "These have no date yet. Set one first."
      const to = inZone(at)
      to.setHours(action.hour, action.minute, 0, 0)
      return retime(post, to, now)
    }
    case "undo": {
      const to = action.times.get(id)
      return to === undefined ? alreadyThere : { kind: "change", body: { scheduled_at: to } }
    }
    case "addTag":
      return tags.includes(action.tag)
        ? alreadyThere
        : { kind: "change", body: { tags: [...savableTags(tags), action.tag] } }
    case "removeTag":
      return tags.includes(action.tag)
        ? { kind: "change", body: { tags: savableTags(tags).filter((tag) => tag !== action.tag) } }
        : alreadyThere
    case "draft":
      if (post.status === "draft") return alreadyThere
      return isSomewhereOut(post)
        ? "These are out in part, so they can’t become drafts."
        : { kind: "change", body: { status: "draft" } }
    case "approve":
    case "delete":
      return { kind: action.kind }
  }
}

const requestOf = ({ post, seen }: Known, action: BulkAction, now: Date): BulkRequest | string => {
  if (action.kind === "delete") return post.status === "publishing" ? closedWords.publishing : { kind: "delete" }
  if (action.kind === "approve") {
    if (!isAwaitingApproval(post)) return "These don’t wait for approval."
    if (post.revision !== seen) return "Changed since you selected these. Open each, and approve it there."
    if (post.scheduled_at === null) return "These have no time. Open each, and approve it with one."
    if (new Date(post.scheduled_at) < now)
      return "The time of these has passed. Open each, and approve it with another."
    return { kind: "approve" }
  }
  const { status } = post
  return status === "draft" || status === "scheduled" ? changeOf(post, action, now) : closedWords[status]
}

/** What an action is for each of the posts, and why it is not for some. */
export const planAction = (posts: ReadonlyArray<Known>, action: BulkAction, now: Date): BulkPlan => {
  const jobs: Array<Job> = []
  const skipped: Array<Skipped> = []
  for (const known of posts) {
    const request = requestOf(known, action, now)
    if (typeof request === "string") skipped.push({ post: known.post, why: request })
    else jobs.push({ post: known.post, request })
  }
  const voided = jobs.filter(({ post, request }) => request.kind === "change" && isAwaitingApproval(post)).length
  return { jobs, skipped, voided }
}

const sameTime = (left: string | null, right: string | null): boolean =>
  left === right || (left !== null && right !== null && Date.parse(left) === Date.parse(right))

/** Whether a post is as a change wants it. */
export const hasChange = (post: PostJson, request: BulkRequest): boolean => {
  if (request.kind !== "change") return false
  const { body } = request
  if ("scheduled_at" in body) return sameTime(post.scheduled_at, body.scheduled_at)
  if ("tags" in body) {
    return post.tags.length === body.tags.length && post.tags.every((tag, index) => tag === body.tags[index])
  }
  return post.status === body.status
}

/** Of how many posts each kind of action can be tried at all, to offer what makes sense. */
export const countOpen = (posts: ReadonlyArray<PostJson>) => ({
  changeable: posts.filter(isOpen).length,
  timed: posts.filter((post) => isOpen(post) && post.scheduled_at !== null).length,
  scheduled: posts.filter(({ status }) => status === "scheduled").length,
  awaiting: posts.filter(isAwaitingApproval).length,
  deletable: posts.filter(({ status }) => status !== "publishing").length
})

/** The tags of posts that can be changed, with how many have each, most first. */
export const tagsOf = (posts: ReadonlyArray<PostJson>): ReadonlyArray<readonly [tag: string, count: number]> => {
  const counts = new Map<string, number>()
  for (const post of posts.filter(isOpen)) for (const tag of post.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return Array.from(counts).toSorted((left, right) => right[1] - left[1] || left[0].localeCompare(right[0]))
}
