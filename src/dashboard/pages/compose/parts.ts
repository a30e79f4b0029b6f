import type { LivePlatform } from "../../../domain/platform.ts"
import type { Post } from "../../../domain/posts/post.ts"
import { isLive } from "../../../domain/plain/platforms.ts"

type PostJson = typeof Post.Encoded

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
  /** Identifies the part, even if it moves. */
  readonly key: string
  readonly content: string
  readonly overrides: Overrides
  readonly media: ReadonlyArray<ComposeMedium>
  /** The platforms that get it; null for all of the post's. */
  readonly platforms: ReadonlyArray<LivePlatform> | null
}

/** The first part is the form itself. */
export interface WithParts extends Pick<ComposePart, "content" | "media" | "overrides"> {
  /** Absent until another part was first. */
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

/** The first part goes to all platforms. */
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

export const addParts = <Form extends WithParts>(form: Form, after: string, added: ReadonlyArray<ComposePart>): Form =>
  withParts(
    form,
    partsOf(form).flatMap((part) => (part.key === after ? [part, ...added] : [part]))
  )

export const removePart = <Form extends WithParts>(form: Form, key: string): Form =>
  withParts(
    form,
    partsOf(form).filter((part) => part.key !== key)
  )

export const insertPart = <Form extends WithParts>(form: Form, part: ComposePart, index: number): Form =>
  withParts(form, partsOf(form).toSpliced(index, 0, part))

/** A part for only some platforms can't be first. */
export const canMove = (parts: ReadonlyArray<ComposePart>, index: number, by: -1 | 1): boolean => {
  const first = Math.min(index, index + by)
  const next = parts[first + 1]
  return first >= 0 && next !== undefined && (first > 0 || next.platforms === null)
}

/** The part that is then first must be for all platforms. */
export const canRemove = (parts: ReadonlyArray<ComposePart>, index: number): boolean =>
  parts.length > 1 && (index > 0 || parts[1]?.platforms === null)

export const movePart = <Form extends WithParts>(form: Form, key: string, by: -1 | 1): Form => {
  const parts = partsOf(form)
  const index = parts.findIndex((part) => part.key === key)
  const part = parts[index]
  if (part === undefined || !canMove(parts, index, by)) return form
  return withParts(form, parts.toSpliced(index, 1).toSpliced(index + by, 0, part))
}

export const isPartOn = ({ platforms }: Pick<ComposePart, "platforms">, platform: LivePlatform): boolean =>
  platforms === null || platforms.includes(platform)

export const chainOn = (
  parts: ReadonlyArray<ComposePart>,
  platform: LivePlatform
): ReadonlyArray<{ readonly part: ComposePart; readonly index: number }> =>
  parts.flatMap((part, index) => (isPartOn(part, platform) ? [{ part, index }] : []))

export const textOn = ({ content, overrides }: Pick<ComposePart, "content" | "overrides">, platform: LivePlatform) =>
  overrides[platform] ?? content

export const withoutOverride = (overrides: Overrides, platform: LivePlatform): Overrides =>
  Object.fromEntries(Object.entries(overrides).filter(([name]) => name !== platform))

export const isBlankPart = ({ content, media, overrides }: Pick<ComposePart, "content" | "media" | "overrides">) =>
  content === "" && media.length === 0 && Object.keys(overrides).length === 0

/** The platforms that get the split text, and so the new parts. */
export const splitTargets = (
  part: ComposePart,
  tab: EditorTab,
  platforms: ReadonlyArray<LivePlatform>
): ReadonlyArray<LivePlatform> =>
  tab === "all"
    ? platforms.filter((platform) => isPartOn(part, platform) && part.overrides[platform] === undefined)
    : [tab]

/** The first keeps the original's files and settings. */
export const splitPart = (
  part: ComposePart,
  {
    newKey,
    platforms,
    tab,
    texts
  }: {
    readonly tab: EditorTab
    readonly platforms: ReadonlyArray<LivePlatform>
    readonly texts: ReadonlyArray<string>
    readonly newKey: () => string
  }
): ReadonlyArray<ComposePart> => {
  const [first = "", ...rest] = texts
  const targets = splitTargets(part, tab, platforms)
  const isForAll = platforms.every((platform) => targets.includes(platform))
  return [
    { ...part, ...(tab === "all" ? { content: first } : { overrides: { ...part.overrides, [tab]: first } }) },
    ...rest.map((content) => ({ ...emptyPart(newKey()), content, platforms: isForAll ? null : targets }))
  ]
}

const mediumOf = ({ alt, height, id, type, width }: PostJson["media"][number]): ComposeMedium => ({
  alt,
  height,
  id,
  type,
  width
})

export const mediaOf = (media: PostJson["media"]): ReadonlyArray<ComposeMedium> => media.map(mediumOf)

export const threadOf = ({ thread }: Pick<PostJson, "thread">): ReadonlyArray<ComposePart> =>
  thread.map(({ content, media, platform_overrides, platforms }, index) => ({
    key: `part ${index + 2}`,
    content,
    overrides: platform_overrides,
    media: mediaOf(media),
    platforms: platforms === null ? null : platforms.filter(isLive)
  }))
