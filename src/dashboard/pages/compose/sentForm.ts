import { formatEtag } from "../../../domain/plain/posts.ts"
import type { Post } from "../../../domain/posts/post.ts"
import { savableTags } from "../../shared/savableTags.ts"
import { isRecord, isText, isTextOrNull } from "./form.ts"

/** What a person changes of a post that is out in part, as it is kept in the browser. */
export interface SentForm {
  readonly tags: ReadonlyArray<string>
  readonly at: string | null
  /** The entity tag of the post as the person has seen it, or has been told that it is. */
  readonly base: string
}

export const sentFormOf = (
  post: Pick<typeof Post.Encoded, "revision" | "scheduled_at" | "status" | "tags">
): SentForm => ({
  tags: savableTags(post.tags),
  at: post.scheduled_at,
  base: formatEtag(post)
})

/** The form that the browser has kept; undefined without one. */
export const restoreSentForm = (kept: unknown): SentForm | undefined => {
  if (!isRecord(kept)) return undefined
  const { at, base, tags } = kept
  return isTextOrNull(at) && isText(base) && Array.isArray(tags) && tags.every(isText) ? { at, base, tags } : undefined
}
