import { previews } from "../../platforms/previews.ts"
import type { LivePlatform } from "./platforms.ts"

/** A post's settings, by platform. */
type Chosen = Readonly<Partial<Record<LivePlatform, Readonly<Record<string, unknown>>>>>

/** False if the platform shows a post with these settings without its text, such as a story. */
export const showsText = (platform: LivePlatform, settings: Chosen): boolean =>
  previews[platform].showsText?.(settings[platform] ?? {}) !== false

/** The title that the platform shows above the text, if its posts have one. */
export const shownTitle = (platform: LivePlatform, settings: Chosen): string | undefined =>
  previews[platform].title?.(settings[platform] ?? {})

/** The text that people see: the post's own, that of a setting, or none. */
export const shownText = (platform: LivePlatform, settings: Chosen, text: string): string =>
  showsText(platform, settings) ? (previews[platform].replacedText?.(settings[platform] ?? {}) ?? text) : ""
