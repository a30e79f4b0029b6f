import type { ComponentChildren } from "preact"
import type { LivePlatform } from "../../domain/platform.ts"
import { accountName, isLive } from "../../domain/plain/platforms.ts"
import { shownText, shownTitle } from "../../domain/plain/shownText.ts"
import { liveFacts } from "../../platforms/facts.ts"
import { chainOf } from "../api/chain.ts"
import { postHistory } from "../api/history.ts"
import type { PostJson } from "../api/posts.ts"
import { useQuery } from "../api/query.ts"
import { foldPreviews } from "../ui/preview/foldPreviews.ts"
import { PostPreview, type ShownCard } from "../ui/preview/PostPreview.tsx"
import type { ShownMedia } from "../ui/preview/PreviewMedia.tsx"
import { mediaPath } from "./mediaPath.ts"
import { shownConnected, shownTargetAccount, useAccounts } from "./accounts/useAccounts.ts"

/** A file without a type is still processed. */
export const shownMedium = (
  file: Pick<PostJson["media"][number], "id" | "type" | "alt" | "width" | "height">
): ShownMedia => ({
  ...file,
  src: file.type === null ? undefined : mediaPath(file.id, file.type === "video" ? "content" : "thumbnail")
})

export const shownCard = ({ description, record, title, url }: NonNullable<PostJson["card"]>): ShownCard => ({
  host: URL.parse(url)?.host ?? url,
  title,
  description,
  isQuote: record !== undefined
})

/** The names of accounts that published a post. The history has them even after an account was replaced. */
const useFormerNames = (post: PostJson, isNeeded: boolean) => {
  const { data } = useQuery(isNeeded ? postHistory(post.id) : undefined)
  return (platform: LivePlatform): string | undefined => {
    const account = data?.data.find(
      ({ details, event }) =>
        details?.account !== undefined &&
        event.type.startsWith("post.target.") &&
        "platform" in event.data &&
        event.data.platform === platform
    )?.details?.account
    return account === undefined ? undefined : accountName(platform, account)
  }
}

/** Returns a function that gives the preview of a post on a platform. */
const usePreviewOf = (post: PostJson) => {
  const accounts = useAccounts()
  const isFormer = post.post_targets.some((target) => accounts.of(target).kind === "former")
  const formerName = useFormerNames(post, isFormer)
  return (platform: LivePlatform, foot?: (place: number) => ComponentChildren) => {
    const target = post.post_targets.find(({ integrations }) => integrations.platform === platform)
    return {
      platform,
      account:
        target === undefined
          ? shownConnected(accounts, platform)
          : shownTargetAccount(accounts.of(target), formerName(platform)),
      parts: chainOf(post, platform).map(({ card, media, text }, place) => ({
        title: shownTitle(platform, post.platform_settings),
        text: shownText(platform, post.platform_settings, text),
        media: media.map(shownMedium),
        card: liveFacts[platform].card === null || card === null ? undefined : shownCard(card),
        foot: foot?.(place)
      }))
    }
  }
}

export interface TargetPreviewProps {
  readonly post: PostJson
  readonly platform: LivePlatform
  readonly aside?: ComponentChildren
  readonly notice?: ComponentChildren
  /** Shown below the part with this index among the posts that the platform gets. */
  readonly foot?: (place: number) => ComponentChildren
  readonly children?: ComponentChildren
}

export const TargetPreview = ({ children, foot, platform, post, ...rest }: TargetPreviewProps) => (
  <PostPreview {...usePreviewOf(post)(platform, foot)} {...rest}>
    {children}
  </PostPreview>
)

/** All previews of a post. Those that look alike are shown once. */
export const TargetPreviews = ({ post }: { readonly post: PostJson }) => {
  const previewOf = usePreviewOf(post)
  const platforms = post.post_targets.map(({ integrations }) => integrations.platform).filter(isLive)
  return (
    <>
      {foldPreviews(platforms.map((platform) => previewOf(platform))).map((preview) => (
        <PostPreview key={preview.platform} {...preview} />
      ))}
    </>
  )
}
