import type { ComponentChildren } from "preact"
import type { LivePlatform } from "../../domain/platform.ts"
import { liveFacts } from "../../platforms/facts.ts"
import { chainOf } from "../api/chain.ts"
import { postHistory } from "../api/history.ts"
import type { PostJson } from "../api/posts.ts"
import { useQuery } from "../api/query.ts"
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

/** The handle of the account that published a post. The history has it even after the account was replaced. */
const useFormerName = (id: string | undefined, platform: LivePlatform): string | undefined => {
  const { data } = useQuery(id === undefined ? undefined : postHistory(id))
  const entry = data?.data.find(
    ({ details, event }) =>
      details?.account !== undefined &&
      event.type.startsWith("post.target.") &&
      "platform" in event.data &&
      event.data.platform === platform
  )
  return entry?.details?.account
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

export const TargetPreview = ({ aside, children, foot, notice, platform, post }: TargetPreviewProps) => {
  const accounts = useAccounts()
  const target = post.post_targets.find(({ integrations }) => integrations.platform === platform)
  const of = target && accounts.of(target)
  const former = useFormerName(of?.kind === "former" ? post.id : undefined, platform)
  return (
    <PostPreview
      platform={platform}
      account={of === undefined ? shownConnected(accounts, platform) : shownTargetAccount(of, former)}
      parts={chainOf(post, platform).map(({ card, media, text }, place) => ({
        text,
        media: media.map(shownMedium),
        card: liveFacts[platform].card === null || card === null ? undefined : shownCard(card),
        foot: foot?.(place)
      }))}
      aside={aside}
      notice={notice}
    >
      {children}
    </PostPreview>
  )
}
