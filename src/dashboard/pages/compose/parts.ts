import type { LivePlatform } from "../../../domain/platform.ts"
import { hasThreads, isLive } from "../../../domain/plain/platforms.ts"
import type { PostJson } from "../../api/postStatus.ts"

export interface ComposeMedium {
  readonly id: string
  readonly alt: string
  readonly type: "image" | "gif" | "video" | null
  readonly width: number | null
  readonly height: number | null
  readonly problem?: string | undefined
}

export type Overrides = Readonly<Partial<Record<LivePlatform, string>>>

export interface ComposePart {
  /** Identifies the part, even after it has moved. */
  readonly key: string
  readonly content: string
  readonly overrides: Overrides
  readonly media: ReadonlyArray<ComposeMedium>
  /** The platforms that get the part; null for all platforms of the post. */
  readonly platforms: ReadonlyArray<LivePlatform> | null
}

/** The first part's fields are the form's own. */
export interface WithParts extends Pick<ComposePart, "content" | "media" | "overrides"> {
  /** The first part's key. Absent until another part has become the first. */
  readonly key?: string | undefined
  readonly thread: ReadonlyArray<ComposePart>
}

export type EditorTab = "all" | LivePlatform

export const maxParts = 25

export const emptyPart = (key: string): ComposePart => ({
  key,
  content: "",
  overrides: {},
  media: [],
  platforms: null
})

export const partsOf = ({
  content,
  key = "first",
  media,
  overrides,
  thread
}: WithParts): ReadonlyArray<ComposePart> => [{ key, content, overrides, media, platforms: null }, ...thread]

/** The first part always goes to all platforms. */
export const withParts = <Form extends WithParts>(form: Form, parts: ReadonlyArray<ComposePart>): Form => {
  const [first, ...thread] = parts
  if (first === undefined) return form
  const { content, key, media, overrides } = first
  return { ...form, key, content, media, overrides, thread }
}

export const changePart = <Form extends WithParts>(
  form: Form,
  key: string,
  change: (part: ComposePart) => Partial<ComposePart>
): Form =>
  withParts(
    form,
    partsOf(form).map((part) => (part.key === key ? { ...part, ...change(part) } : part))
  )

/** The first part goes to all platforms, so a part for only some of them can't move there. */
export const canMove = (parts: ReadonlyArray<ComposePart>, index: number, by: -1 | 1): boolean => {
  const first = Math.min(index, index + by)
  const next = parts[first + 1]
  return first >= 0 && next !== undefined && (first > 0 || next.platforms === null)
}

/** If the first part is removed, the next one becomes the first, which has to be for all platforms. */
export const canRemove = (parts: ReadonlyArray<ComposePart>, index: number): boolean =>
  parts.length > 1 && (index > 0 || parts[1]?.platforms === null)

export const isPartOn = ({ platforms }: Pick<ComposePart, "platforms">, platform: LivePlatform): boolean =>
  platforms === null || platforms.includes(platform)

/** The parts that a platform gets. One without threads gets the first part alone. */
export const chainOn = (
  parts: ReadonlyArray<ComposePart>,
  platform: LivePlatform
): ReadonlyArray<{ readonly part: ComposePart; readonly index: number }> =>
  parts
    .slice(0, hasThreads(platform) ? undefined : 1)
    .flatMap((part, index) => (isPartOn(part, platform) ? [{ part, index }] : []))

export const textOn = ({ content, overrides }: Pick<ComposePart, "content" | "overrides">, platform: LivePlatform) =>
  overrides[platform] ?? content

export const withoutOverride = (overrides: Overrides, platform: LivePlatform): Overrides =>
  Object.fromEntries(Object.entries(overrides).filter(([name]) => name !== platform))

export const isBlankPart = ({ content, media, overrides }: Pick<ComposePart, "content" | "media" | "overrides">) =>
  content === "" && media.length === 0 && Object.keys(overrides).length === 0

export const splitTargets = (
  part: ComposePart,
  tab: EditorTab,
  platforms: ReadonlyArray<LivePlatform>
): ReadonlyArray<LivePlatform> =>
  tab === "all"
    ? platforms.filter((platform) => isPartOn(part, platform) && part.overrides[platform] === undefined)
    : [tab]

export interface SplitText {
  readonly tab: EditorTab
  readonly platforms: ReadonlyArray<LivePlatform>
  /** The texts of the new parts. Each has a key, which the first does not use. */
  readonly pieces: ReadonlyArray<Pick<ComposePart, "content" | "key">>
}

/** The first piece keeps the part's files and settings. */
export const splitPart = (part: ComposePart, { pieces, platforms, tab }: SplitText): ReadonlyArray<ComposePart> => {
  const [first, ...rest] = pieces
  if (first === undefined) return [part]
  const targets = splitTargets(part, tab, platforms)
  const isForAll = platforms.every((platform) => targets.includes(platform))
  const own = tab === "all" ? { content: first.content } : { overrides: { ...part.overrides, [tab]: first.content } }
  return [
    { ...part, ...own },
    ...rest.map(({ content, key }) => ({ ...emptyPart(key), content, platforms: isForAll ? null : targets }))
  ]
}

export const mediaOf = (media: PostJson["media"]): ReadonlyArray<ComposeMedium> =>
  media.map(({ alt, height, id, type, width }) => ({ alt, height, id, type, width }))

export const threadOf = ({ thread }: Pick<PostJson, "thread">): ReadonlyArray<ComposePart> =>
  thread.map(({ content, media, platform_overrides, platforms }, index) => ({
    key: `part ${index + 2}`,
    content,
    overrides: platform_overrides,
    media: mediaOf(media),
    platforms: platforms === null ? null : platforms.filter(isLive)
  }))
