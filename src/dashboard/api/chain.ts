import type { LivePlatform } from "../../domain/platform.ts"
import type { Post } from "../../domain/posts/post.ts"

type PostJson = typeof Post.Encoded

/** What one platform gets as one post. */
export interface ChainPart extends Pick<PostJson, "card" | "media"> {
  readonly text: string
}

/** The posts that a platform gets, in their order: one, unless the post has a thread. */
export const chainOf = (
  post: Pick<PostJson, "card" | "content" | "media" | "platform_overrides" | "thread">,
  platform: LivePlatform
): ReadonlyArray<ChainPart> =>
  [{ ...post, platforms: null }, ...post.thread]
    .filter(({ platforms }) => platforms === null || platforms.includes(platform))
    .map(({ card, content, media, platform_overrides }) => ({
      card,
      media,
      text: platform_overrides[platform] ?? content
    }))

/** How many parts a post has, whatever its platforms get of them. */
export const countParts = ({ thread }: Pick<PostJson, "thread">): number => thread.length + 1
