import type { ComponentChildren } from "preact"
import { isBlank } from "../../../domain/plain/blankText.ts"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { classes } from "../classes.ts"
import { Avatar } from "../display/Avatar.tsx"
import { PlatformMark } from "../display/PlatformMark.tsx"
import { MarkedText } from "./MarkedText.tsx"
import { PreviewMedia, type ShownMedia } from "./PreviewMedia.tsx"
import { richText } from "./richText.ts"

export interface ShownAccount {
  readonly name: string
  /** Without `@`; undefined if the account is no longer connected. */
  readonly handle: string | undefined
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
  /** Shown at the end of the head, such as a status. */
  readonly aside?: ComponentChildren
  /** Shown below the head, such as the problem of a thread. */
  readonly notice?: ComponentChildren
  readonly children?: ComponentChildren
}

const PostText = ({ platform, text }: { readonly platform: LivePlatform; readonly text: string }) => (
  <p class="preview-text" dir="auto" lang="und">
    {richText(text, platform).map((part, index) =>
      part.kind === "text" ? (
        <MarkedText key={index} text={part.text} />
      ) : (
        <span key={index} class="preview-entity">
          <MarkedText text={part.text} />
        </span>
      )
    )}
  </p>
)

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

interface PartProps extends PreviewPart, Pick<PostPreviewProps, "platform"> {}

const Part = ({ card, foot, media, placeholder, platform, text }: PartProps) => (
  <>
    {isBlank(text) ? (
      placeholder !== undefined && <p class="preview-text preview-empty">{placeholder}</p>
    ) : (
      <PostText platform={platform} text={text} />
    )}
    {media.length > 0 && <PreviewMedia media={media} />}
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
        <span class="preview-handle truncate">{known?.handle === undefined ? noHandle : `@${known.handle}`}</span>
      </span>
    </>
  )
}

const nameAccount = ({ account, platform }: Pick<PostPreviewProps, "account" | "platform">): string => {
  const handle = account === undefined || account === "loading" ? undefined : account.handle
  return `${platformName(platform)}${handle === undefined ? "" : ` (@${handle})`}`
}

/** Such as `The same on X (@acme) and Bluesky (@acme.example)`. */
const Same = ({ all }: { readonly all: ReadonlyArray<Pick<PostPreviewProps, "account" | "platform">> }) => (
  <p class="preview-same secondary small">
    The same on {all.slice(0, -1).map(nameAccount).join(", ")} and {all.slice(-1).map(nameAccount)}
  </p>
)

export const PostPreview = (props: PostPreviewProps) => {
  const { account, aside, children, notice, others = [], parts, platform } = props
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
                <Part {...part} platform={platform} />
              </div>
            </li>
          ))}
        </ol>
      ) : (
        first !== undefined && <Part {...first} platform={platform} />
      )}
      {children !== undefined && <div class="preview-foot">{children}</div>}
    </article>
  )
}
