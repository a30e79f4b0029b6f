import { formatEtag } from "../../../domain/plain/posts.ts"
import type { Post } from "../../../domain/posts/post.ts"
import { savableTags } from "../../shared/savableTags.ts"
import { isRecord, isText, isTextOrNull } from "./form.ts"

export interface SentForm {
  readonly tags: ReadonlyArray<string>
  readonly at: string | null
  /** The version that the person has seen, or was shown after a conflict. */
  readonly base: string
}

export const sentFormOf = (
  post: Pick<typeof Post.Encoded, "revision" | "scheduled_at" | "status" | "tags">
): SentForm => ({
  tags: savableTags(post.tags),
  at: post.scheduled_at,
  base: formatEtag(post)
})

export const restoreSentForm = (kept: unknown): SentForm | undefined => {
  if (!isRecord(kept)) return undefined
  const { at, base, tags } = kept
  return isTextOrNull(at) && isText(base) && Array.isArray(tags) && tags.every(isText) ? { at, base, tags } : undefined
}
