import { Equal, Schema } from "effect"
import { isMaxItems } from "../issueCodes.ts"
import { MediaReferences, PostMedia, postMediaExample } from "../media/media.ts"
import { hasThreads } from "../plain/platforms.ts"
import { Platform, Platforms } from "../platform.ts"
import { cardName, LinkCard } from "./linkCard.ts"
import { PlatformOverrides, StoredOverrides } from "./platformSettings.ts"
import { PublishableText } from "./text/publishableText.ts"

/** The most parts after the first: a thread has up to 25 posts. */
export const maxThreadParts = 24

export const NewPart = Schema.Struct({
  content: PublishableText.annotateKey({ description: "The part's text; it may be blank only if there is `media`." }),
  platform_overrides: Schema.optionalKey(PlatformOverrides).annotateKey({
    description: "Text by platform, which replaces the part's `content` there."
  }),
  media: Schema.optionalKey(MediaReferences).annotateKey({
    description: "The files that the part carries, by the rules for those of a post."
  }),
  platforms: Schema.optionalKey(Platforms).annotateKey({
    description: "The platforms that get the part, each one of the post's; if omitted, all of them."
  })
}).annotate({
  identifier: "NewPart",
  description: "A part of a thread, which is posted as a reply to the part before it.",
  examples: [{ content: "What is new, in detail." }]
})
export type NewPart = typeof NewPart.Type

export const NewThread = Schema.Array(NewPart).check(isMaxItems(maxThreadParts))

const partExample = {
  content: "What is new, in detail.",
  platform_overrides: {},
  media: [postMediaExample],
  card: null,
  platforms: null
} as const

/** As stored, and as the API shows it. */
export const ThreadPart = Schema.Struct({
  content: Schema.String.annotateKey({ description: "The text for platforms without a text of their own." }),
  platform_overrides: StoredOverrides.annotateKey({
    description: "Text by platform, which replaces `content` there; empty without any."
  }),
  media: Schema.Array(PostMedia).annotateKey({ description: "The files that the part carries; empty without any." }),
  card: Schema.NullOr(LinkCard).annotateKey({
    description: `The card of the part's first link on ${cardName}; null without one.`
  }),
  platforms: Schema.NullOr(Schema.Array(Platform)).annotateKey({
    description: "The platforms that get the part; null if all of the post's do."
  })
}).annotate({
  identifier: "ThreadPart",
  description: "A part of a thread, which is posted as a reply to the part before it.",
  examples: [partExample]
})
export type ThreadPart = typeof ThreadPart.Type

export const Thread = Schema.Array(ThreadPart)
export type Thread = typeof Thread.Type

/** A request may omit some members. */
interface AnyPart<Media> {
  readonly content: string
  readonly platform_overrides?: PlatformOverrides
  readonly media?: ReadonlyArray<Media>
  readonly card?: LinkCard | null
  readonly platforms?: ReadonlyArray<Platform> | null
}

export interface Threaded<Media> {
  readonly content: string
  readonly overrides: PlatformOverrides
  readonly media: ReadonlyArray<Media>
  readonly card?: LinkCard | null
  readonly thread: ReadonlyArray<AnyPart<Media>>
}

export interface ChainPart<Media> {
  /** 0 for the post's own content, 1 for the first of `thread`. */
  readonly index: number
  readonly text: string
  readonly isOverride: boolean
  readonly media: ReadonlyArray<Media>
  readonly card: LinkCard | null
}

type ForPlatforms = Pick<AnyPart<unknown>, "platforms">

/** True if a part's author wants it on the platform. */
export const isPartMeantFor = (platform: Platform, { platforms = null }: ForPlatforms): boolean =>
  platforms === null || platforms.includes(platform)

/** A platform without threads gets no part after the first. */
export const isPartFor = (platform: Platform, part: ForPlatforms): boolean =>
  hasThreads(platform) && isPartMeantFor(platform, part)

/** In order: the post's own content, and the parts for this platform. */
export const chainFor = <Media>(platform: Platform, post: Threaded<Media>): ReadonlyArray<ChainPart<Media>> => {
  const { card = null, content, media, overrides, thread } = post
  const chainPart = (index: number, part: AnyPart<Media>): ChainPart<Media> => {
    const override = part.platform_overrides?.[platform]
    return {
      index,
      text: override ?? part.content,
      isOverride: override !== undefined,
      media: part.media ?? [],
      card: part.card ?? null
    }
  }
  return [
    chainPart(0, { content, platform_overrides: overrides, media, card }),
    ...thread.flatMap((part, index) => (isPartFor(platform, part) ? [chainPart(index + 1, part)] : []))
  ]
}

export const threadMedia = <Media>({
  media,
  thread
}: Pick<Threaded<Media>, "media" | "thread">): ReadonlyArray<Media> => [
  ...media,
  ...thread.flatMap((part) => part.media ?? [])
]

type Files = Pick<Threaded<Pick<PostMedia, "id" | "alt">>, "media" | "thread">

const filesByPart = ({ media, thread }: Files) =>
  [{ media }, ...thread].map(
    ({ media: files = [], platforms = null }: Partial<ForPlatforms> & Partial<Pick<Files, "media">>) => ({
      platforms,
      files: files.map(({ alt, id }) => ({ alt, id }))
    })
  )

/** True if every part has the same files with the same alternative texts, for the same platforms. */
export const hasSameFiles = (one: Files, other: Files): boolean => Equal.equals(filesByPart(one), filesByPart(other))
