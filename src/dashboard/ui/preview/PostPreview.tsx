import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { isBlank } from "../../../domain/plain/blankText.ts"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { previews } from "../../../platforms/previews.ts"
import { classes } from "../classes.ts"
import { Avatar } from "../display/Avatar.tsx"
import { PlatformMark } from "../display/PlatformMark.tsx"
import { foldedText } from "./foldText.ts"
import { MarkedText } from "./MarkedText.tsx"
import { PreviewMedia, type ShownMedia } from "./PreviewMedia.tsx"

export interface ShownAccount {
  readonly name: string
  /** With its `@`. Null if the platform has none, undefined if the account is no longer connected. */
  readonly handle: string | null | undefined
  /** A URL of this service. */
  readonly picture?: string | undefined
}

export interface ShownCard {
  readonly host: string
  readonly title: string
  readonly description: string
  /** True for a post or feed that is quoted, also beside media. */
  readonly isQuote?: boolean
}

export interface PreviewPart {
  /** Undefined if the platform's posts have no titles. */
  readonly title?: string | undefined
  readonly text: string
  readonly media: ReadonlyArray<ShownMedia>
  readonly card?: ShownCard | undefined
  readonly placeholder?: string | undefined
  readonly foot?: ComponentChildren
}

export interface PostPreviewProps {
  readonly platform: LivePlatform
  /** Undefined if the workspace has no account on the platform. */
  readonly account: ShownAccount | "loading" | undefined
  readonly parts: ReadonlyArray<PreviewPart>
  /** Other platforms on which the post looks the same. */
  readonly others?: ReadonlyArray<Pick<PostPreviewProps, "account" | "platform">>
  /** True if long texts begin folded, as on the platform. Otherwise people who approve or check a post see all. */
  readonly isFolded?: boolean | undefined
  /** Shown at the end of the head, such as a status. */
  readonly aside?: ComponentChildren
  /** Shown below the head, such as the problem of a thread. */
  readonly notice?: ComponentChildren
  readonly children?: ComponentChildren
}

interface TextProps extends Pick<PostPreviewProps, "isFolded" | "platform"> {
  readonly text: string
}

const PostText = ({ isFolded = false, platform, text }: TextProps) => {
  const [isOpen, setOpen] = useState(false)
  const { all, start } = foldedText(text, platform)
  const canOpen = isFolded && start !== undefined
  const shown = canOpen && !isOpen ? start : all
  return (
    <p class="preview-text" dir="auto" lang="und">
      {shown.map((part, index) =>
        part.kind === "text" ? (
          <MarkedText key={index} text={part.text} />
        ) : (
          <span key={index} class="preview-entity">
            <MarkedText text={part.text} />
          </span>
        )
      )}
      {canOpen && (
        <button
          key="more"
          type="button"
          class="preview-more"
          lang="en"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "less" : "…more"}
        </button>
      )}
    </p>
  )
}

const Card = ({ description, host, isQuote = false, title }: ShownCard) => (
  <div class="preview-card">
    <span class="preview-card-title" dir="auto">
      {title}
    </span>
    {description !== "" && (
      <span class="preview-card-description" dir="auto">
        {description}
      </span>
    )}
    <span class="preview-card-host truncate">{isQuote ? `Quoted from ${host}` : host}</span>
  </div>
)

interface PartProps extends PreviewPart, Pick<PostPreviewProps, "isFolded" | "platform"> {}

const Part = ({ card, foot, isFolded, media, placeholder, platform, text, title = "" }: PartProps) => (
  <>
    {!isBlank(title) && (
      <p class="preview-title" dir="auto" lang="und">
        {title}
      </p>
    )}
    {isBlank(text) ? (
      placeholder !== undefined && <p class="preview-text preview-empty">{placeholder}</p>
    ) : (
      <PostText platform={platform} text={text} isFolded={isFolded} />
    )}
    {media.length > 0 && <PreviewMedia media={media} grid={previews[platform].grid} />}
    {card !== undefined && (media.length === 0 || card.isQuote === true) && <Card {...card} />}
    {foot}
  </>
)

const loadingAccount: ShownAccount = { name: "…", handle: undefined }

const Author = ({ account }: Pick<PostPreviewProps, "account">) => {
  const known = account === "loading" ? loadingAccount : account
  const noHandle = account === "loading" ? "…" : "Not connected"
  return (
    <>
      <Avatar name={known?.name ?? "?"} src={known?.picture} size="large" />
      <span class="preview-names">
        <span class="preview-name truncate">{known?.name ?? "No account"}</span>
        {known?.handle !== null && <span class="preview-handle truncate">{known?.handle ?? noHandle}</span>}
      </span>
    </>
  )
}

const nameAccount = ({ account, platform }: Pick<PostPreviewProps, "account" | "platform">): string => {
  if (account === undefined || account === "loading" || account.handle === undefined) return platformName(platform)
  return `${platformName(platform)} (${account.handle ?? account.name})`
}

/** Such as `The same on X (@acme) and Bluesky (@acme.example)`. */
const Same = ({ all }: { readonly all: ReadonlyArray<Pick<PostPreviewProps, "account" | "platform">> }) => (
  <p class="preview-same secondary small">
    The same on {all.slice(0, -1).map(nameAccount).join(", ")} and {all.slice(-1).map(nameAccount)}
  </p>
)

export const PostPreview = (props: PostPreviewProps) => {
  const { account, aside, children, isFolded, notice, others = [], parts, platform } = props
  const [first] = parts
  return (
    <article class={classes("preview", `preview-${platform}`)}>
      <header class="preview-head">
        <Author account={account} />
        {aside}
        {[{ platform }, ...others].map((each) => (
          <PlatformMark key={each.platform} platform={each.platform} size={16} class="preview-mark" />
        ))}
      </header>
      {others.length > 0 && <Same all={[{ account, platform }, ...others]} />}
      {notice}
      {parts.length > 1 ? (
        <ol class="preview-parts">
          {parts.map((part, index) => (
            <li key={index} class="preview-part" aria-label={`Part ${index + 1} of ${parts.length}`}>
              <span class="preview-number numbers" aria-hidden="true">
                {index + 1}
              </span>
              <div class="preview-body">
                <Part {...part} platform={platform} isFolded={isFolded} />
              </div>
            </li>
          ))}
        </ol>
      ) : (
        first !== undefined && <Part {...first} platform={platform} isFolded={isFolded} />
      )}
      {children !== undefined && <div class="preview-foot">{children}</div>}
    </article>
  )
}
