import type { PlatformOverrides, PlatformSettings } from "./platformSettings.ts"
import { byteLength } from "./text/textLength.ts"

/** The most bytes of a post. Bounds the memory and the time of a page of posts. */
export const maxPostBytes = 64_000

/** The most posts of a group, as its list has no pages. */
export const maxGroupPosts = 1_000

interface SizedPart {
  readonly content: string
  readonly platform_overrides: PlatformOverrides
  readonly media: ReadonlyArray<{ readonly alt: string }>
}

interface Sized {
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly overrides: PlatformOverrides
  readonly settings: PlatformSettings
  readonly media: ReadonlyArray<{ readonly alt: string }>
  readonly thread: ReadonlyArray<SizedPart>
}

/**
 * The size of a post in bytes: content, overrides, tags, alternative texts and those of its parts as UTF-8, and
 * settings, if any, as compact JSON. The platform names of overrides and the commas between tags do not count.
 */
export const postBytes = ({ content, media, overrides, settings, tags, thread }: Sized): number => {
  const parts = [{ content, platform_overrides: overrides, media }, ...thread]
  const texts = [
    ...tags,
    ...parts.flatMap((part) => [
      part.content,
      ...Object.values(part.platform_overrides),
      ...part.media.map(({ alt }) => alt)
    ])
  ]
  const settingsBytes = Object.keys(settings).length === 0 ? 0 : byteLength(JSON.stringify(settings))
  return texts.reduce((sum, text) => sum + byteLength(text), settingsBytes)
}

/** A count for people, such as `64,000`. */
export const inThousands = (count: number): string => count.toLocaleString("en-US")

export const explainSize = (bytes: number): string =>
  `content, platform_overrides, platform_settings, tags, thread and alt texts together take ${inThousands(maxPostBytes)} bytes, these are ${inThousands(bytes)}`

export const explainFullGroup = `A group takes ${inThousands(maxGroupPosts)} posts; choose another group_id`
