import type { DateTime } from "effect"
import type { TargetId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { Publication } from "../domain/publishing/platformError.ts"
import { textFor } from "../domain/posts/postPlan.ts"
import { postCollection, recordKey } from "../platforms/bluesky/postRecord.ts"
import type { PlatformsConfig } from "../platforms/config.ts"
import { deriveAccount } from "../sandbox/state/accounts.ts"
import type { SandboxPost } from "../sandbox/state/entry.ts"
import { tweetId } from "../platforms/twitter/standIn/tweet.ts"
import type { Example } from "./examples.ts"
import { pictures, sandboxFileId } from "./pictures.ts"

/** The accounts of the demo come from this seed. */
export const demoSeed = "demo"

interface PublishedExample {
  readonly platform: LivePlatform
  readonly at: DateTime.Utc
  /** Differs between examples. */
  readonly number: number
  readonly targetId: TargetId
}

/** An example as a timeline of the sandbox shows it, and what the platform would have responded to it. */
export const timelinePost = (
  example: Example,
  { at, number, platform, targetId }: PublishedExample,
  platforms: PlatformsConfig
): { readonly post: SandboxPost; readonly publication: Publication } => {
  const { card, content, overrides = {}, pictures: shown = [], settings } = example
  const { displayName, id: accountId, username } = deriveAccount(platform, demoSeed)
  const id = platform === "twitter" ? tweetId(at.epochMilliseconds, number) : recordKey(targetId)
  const replies = settings?.twitter?.who_can_reply ?? "everyone"
  const post: SandboxPost = {
    _tag: "Post",
    platform,
    accountId,
    username,
    displayName,
    id,
    at: at.epochMilliseconds,
    text: textFor(platform, { content, overrides }),
    replySettings: platform === "twitter" && replies !== "everyone" ? replies : null,
    ...(shown.length > 0 && {
      media: shown.map((name) => ({ id: sandboxFileId(name), type: "image", alt: pictures[name] }))
    }),
    ...(platform === "bluesky" && card !== undefined && { card: { ...card, thumb: null } }),
    record: null,
    example: true
  }
  const publication =
    platform === "twitter"
      ? { platformPostId: id, url: `${platforms.twitter.webUrl}/${username}/status/${id}` }
      : {
          platformPostId: `at://${accountId}/${postCollection}/${id}`,
          url: `${platforms.bluesky.webUrl}/profile/${accountId}/post/${id}`
        }
  return { post, publication }
}
