import type { PlatformOverrides, PlatformSettings } from "./platformSettings.ts"
import { byteLength } from "./text/textLength.ts"

/** Bounds the memory and the time of a page of posts. */
export const maxPostBytes = 64_000

/** Bounds a group's list, which has no pages. */
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
 * Counts content, overrides, tags, alternative texts and the parts' texts as UTF-8, and settings, if any, as compact
 * JSON.
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

export const inThousands = (count: number): string => count.toLocaleString("en-US")

export const explainSize = (bytes: number): string =>
  `content, platform_overrides, platform_settings, tags, thread and alt texts together may have ${inThousands(maxPostBytes)} bytes, but these have ${inThousands(bytes)}`

export const explainFullGroup = `A group may have ${inThousands(maxGroupPosts)} posts; choose another group_id`
