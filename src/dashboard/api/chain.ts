import { hasThreads } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import type { PostJson } from "./postStatus.ts"

export interface ChainPart extends Pick<PostJson, "card" | "media"> {
  readonly text: string
}

/** The posts that a platform gets, in order. One without threads gets the first part alone. */
export const chainOf = (
  post: Pick<PostJson, "card" | "content" | "media" | "platform_overrides" | "thread">,
  platform: LivePlatform
): ReadonlyArray<ChainPart> =>
  [{ ...post, platforms: null }, ...post.thread]
    .slice(0, hasThreads(platform) ? undefined : 1)
    .filter(({ platforms }) => platforms === null || platforms.includes(platform))
    .map(({ card, content, media, platform_overrides }) => ({
      card,
      media,
      text: platform_overrides[platform] ?? content
    }))

/** Counts all parts, including those that only some platforms get. */
export const countParts = ({ thread }: Pick<PostJson, "thread">): number => thread.length + 1
