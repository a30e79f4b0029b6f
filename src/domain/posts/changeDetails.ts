import { Equal } from "effect"
import type { Author } from "../people/actor.ts"
import { type EventDetails, maxFormerText } from "../webhooks/eventDetails.ts"
import { isSameChoice } from "./platformSettings.ts"
import { isSameMedia, isSameThread, isSameTime, type PostChange, type StoredPost } from "./postPlan.ts"

type Before = Pick<
  StoredPost,
  "content" | "media" | "overrides" | "platforms" | "scheduledAt" | "settings" | "status" | "tags" | "thread"
>

const cut = (text: string): string => {
  if (text.length <= maxFormerText) return text
  const beginning = text.slice(0, maxFormerText - 1)
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`
}

const changedMembers = (before: Before, after: PostChange): ReadonlyArray<string> =>
  Object.entries({
    content: before.content !== after.content,
    platform_overrides: !Equal.equals(before.overrides, after.overrides),
    platform_settings: !isSameChoice(before.settings, after.settings),
    media: !isSameMedia(before.media, after.media),
    thread: !isSameThread(before.thread, after.thread),
    tags: !Equal.equals(before.tags, after.tags),
    platforms: !Equal.equals(before.platforms, after.platforms),
    scheduled_at: !isSameTime(before.scheduledAt, after.scheduledAt),
    status: before.status !== after.status
  }).flatMap(([member, isChanged]) => (isChanged ? [member] : []))

/** If a person made the change, the history gets the former texts. */
export const detailsOfChange = (before: Before, after: PostChange, by: Author | undefined): EventDetails => {
  const changed = changedMembers(before, after)
  const texts = {
    ...(changed.includes("content") && { content: cut(before.content) }),
    ...(changed.includes("platform_overrides") && {
      platform_overrides: Object.fromEntries(Object.entries(before.overrides).map(([key, text]) => [key, cut(text)]))
    })
  }
  return by?.type === "user" && Object.keys(texts).length > 0 ? { changed, before: texts } : { changed }
}
