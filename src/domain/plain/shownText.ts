import { previews } from "../../platforms/previews.ts"
import type { Preview } from "../../platforms/Platform.ts"
import { isBlank } from "./blankText.ts"
import type { LivePlatform } from "./platforms.ts"

/** A post's settings, by platform. */
type Chosen = Readonly<Partial<Record<LivePlatform, Readonly<Record<string, unknown>>>>>

/** False if the platform shows a post with these settings without its text, such as a story. */
export const showsText = (platform: LivePlatform, settings: Chosen): boolean =>
  previews[platform].showsText?.(settings[platform] ?? {}) !== false

/** The title that the platform shows above the text, if its posts have one. */
export const shownTitle = (platform: LivePlatform, settings: Chosen): string | undefined =>
  previews[platform].title?.(settings[platform] ?? {})

interface SettingText {
  readonly setting: string
  readonly text: string
}

/** The setting that takes the place of the post's text; undefined if none does. */
export const settingText = (platform: LivePlatform, settings: Chosen): SettingText | undefined => {
  const { textSetting: setting }: Preview = previews[platform]
  const text = setting === undefined ? undefined : settings[platform]?.[setting]
  return setting === undefined || typeof text !== "string" || isBlank(text) ? undefined : { setting, text }
}

/** The text that people see: the post's own, that of a setting, or none. */
export const shownText = (platform: LivePlatform, settings: Chosen, text: string): string =>
  showsText(platform, settings) ? (settingText(platform, settings)?.text ?? text) : ""
