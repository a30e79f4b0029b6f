import { isLive } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { Setting, Settings } from "../../../platforms/Platform.ts"
import { settings as registered } from "../../../platforms/settings.ts"
import type { PostJson } from "../../api/postStatus.ts"
import { replies } from "./replies.ts"

/** Several texts are as they are typed between commas, so they may be blank. */
type Value = string | boolean | ReadonlyArray<string>

/** The chosen settings of platforms other than X, by platform and name. */
export type OtherSettings = Readonly<Record<string, Readonly<Record<string, Value>>>>

export interface OwnSetting {
  readonly platform: LivePlatform
  readonly name: string
  readonly setting: Setting
}

const byPlatform: Readonly<Record<LivePlatform, Settings>> = registered

const settingsOf = (platforms: ReadonlyArray<LivePlatform>): ReadonlyArray<OwnSetting> =>
  platforms.flatMap((platform) =>
    Object.entries(byPlatform[platform]).map(([name, setting]) => ({ platform, name, setting }))
  )

/** The settings of the platforms that have fields in the form. */
export const shownSettingsFor = (platforms: ReadonlyArray<LivePlatform>): ReadonlyArray<OwnSetting> =>
  settingsOf(platforms).filter(({ setting }) => "label" in setting && setting.label !== undefined)

/** Those of platforms other than X. */
export const otherSettingsFor = (platforms: ReadonlyArray<LivePlatform>): ReadonlyArray<OwnSetting> =>
  settingsOf(platforms.filter((platform) => platform !== replies.platform))

const isValue = (value: unknown): value is Value =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  (Array.isArray(value) && value.every((each) => typeof each === "string"))

const hasValue = (entry: [string, unknown]): entry is [string, Value] => isValue(entry[1])

/** A setting's value in a field of text. */
export const typed = (value: Value = ""): string => {
  if (typeof value === "boolean") return ""
  return typeof value === "string" ? value : value.join(",")
}

/** The value that a person typed. */
export const valueOf = ({ kind }: Setting, text: string): Value =>
  kind === "texts" && text !== "" ? text.split(",") : text

const sent = (value: Value): Value =>
  typeof value === "object" ? value.map((text) => text.trim()).filter((text) => text !== "") : value

const isEmpty = (value: Value): boolean => value === false || (typeof value !== "boolean" && value.length === 0)

/** The settings as they are saved, without blank texts and flags that are not set. */
export const sentSettings = (settings: OtherSettings): OtherSettings =>
  Object.fromEntries(
    Object.entries(settings).map(([platform, own]) => [
      platform,
      Object.fromEntries(
        Object.entries(own).flatMap(([name, value]) => (isEmpty(sent(value)) ? [] : [[name, sent(value)]]))
      )
    ])
  )

export const otherSettingsOf = ({ platform_settings }: Pick<PostJson, "platform_settings">): OtherSettings =>
  Object.fromEntries(
    Object.entries(platform_settings).flatMap(([platform, own]) => {
      const chosen = Object.entries<unknown>(own).filter(hasValue)
      return isLive(platform) && platform !== replies.platform && chosen.length > 0
        ? [[platform, Object.fromEntries(chosen)] as const]
        : []
    })
  )

/** Without an empty value, and without a platform that has no values. */
export const withSetting = (
  settings: OtherSettings,
  { name, platform }: Pick<OwnSetting, "name" | "platform">,
  value: Value | null
): OtherSettings => {
  const { [platform]: own = {}, ...others } = settings
  const kept = Object.fromEntries(Object.entries(own).filter(([other]) => other !== name))
  const changed = value === null || value === "" || value === false ? kept : { ...kept, [name]: value }
  return Object.keys(changed).length === 0 ? others : { ...others, [platform]: changed }
}

export const settingsFor = (settings: OtherSettings, platforms: ReadonlyArray<LivePlatform>): OtherSettings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => platforms.some((platform) => platform === name)))

export const isOtherSettings = (value: unknown): value is OtherSettings =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every(
    (own: unknown) => typeof own === "object" && own !== null && Object.entries<unknown>({ ...own }).every(hasValue)
  )
