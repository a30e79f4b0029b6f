import type { Issue } from "../errors.ts"
import { type Library, type PlannedMedia, planMedia, refreshMedia, storedReferences } from "../media/mediaPlan.ts"
import type { Platform } from "../platform.ts"
import type { LinkCard } from "./linkCard.ts"
import type { Rules } from "./platformRules.ts"
import { isPartFor, type NewPart, type Thread, type ThreadPart } from "./thread.ts"

interface ThreadContext {
  /** Null if the files are not known. */
  readonly library: Library | null
  readonly platforms: ReadonlyArray<Platform>
  readonly status: "draft" | "scheduled"
  /** The post's thread, if the request names none. */
  readonly stored?: Thread
}

export interface PlannedThread extends Pick<PlannedMedia, "issues" | "notReady" | "doubts"> {
  readonly thread: Thread
}

const requestedPart = ({ content, media, platform_overrides, platforms }: ThreadPart): NewPart => ({
  content,
  platform_overrides,
  media: storedReferences(media),
  ...(platforms === null ? {} : { platforms })
})

export const storedParts = (thread: Thread): ReadonlyArray<NewPart> => thread.map(requestedPart)

const within = (index: number, issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  issues.map((issue) => ({ ...issue, path: ["thread", index, ...issue.path] }))

/** Plans a thread without its cards, which are looked up later. */
export const planThread = (
  rules: Rules,
  parts: ReadonlyArray<NewPart>,
  { library, platforms, status, stored }: ThreadContext
): PlannedThread => {
  const planned = parts.map((part, index) => {
    const kept = stored?.[index]
    const media = planMedia(rules, part.media ?? [], {
      library,
      platforms: platforms.filter((platform) => isPartFor(platform, part)),
      status,
      ...(kept === undefined ? {} : { stored: kept.media })
    })
    return { part, media, card: kept?.card ?? null }
  })
  return {
    thread: planned.map(({ card, media, part }) => ({
      content: part.content,
      platform_overrides: part.platform_overrides ?? {},
      media: media.media,
      card,
      platforms: part.platforms ?? null
    })),
    issues: planned.flatMap(({ media }, index) => within(index, media.issues)),
    notReady: planned.flatMap(({ media }, index) => within(index, media.notReady)),
    doubts: planned.flatMap(({ media }, index) => within(index, media.doubts))
  }
}

/** `cards` are in the parts' order. */
export const withCards = (thread: Thread, cards: ReadonlyArray<LinkCard | null>): Thread =>
  thread.map((part, index) => ({ ...part, card: cards[index] ?? null }))

export const refreshThread = (thread: Thread, library: Library): Thread =>
  thread.map((part) => (part.media.length === 0 ? part : { ...part, media: refreshMedia(part.media, library) }))
