import { isOpen, type PostJson } from "../../api/postStatus.ts"
import { chosenInstant } from "../../ui/time/zone.ts"
import { newPostTime } from "./range.ts"

/** The question before a move: another time, or if a scheduled post becomes a draft. */
export type MoveQuestion = { readonly kind: "passed"; readonly proposed: string } | { readonly kind: "draft" }

/** Undefined if the move needs no question. Null, the tray, takes a post's time. */
export const questionOf = (post: PostJson, to: Date | null, now: Date): MoveQuestion | undefined => {
  const { scheduled_at: at } = post
  if (!isOpen(post) || (at === null ? undefined : Date.parse(at)) === to?.getTime()) return undefined
  if (to === null) return post.status === "scheduled" ? { kind: "draft" } : undefined
  return to < now ? { kind: "passed", proposed: chosenInstant(newPostTime({ day: to }, now)) } : undefined
}
