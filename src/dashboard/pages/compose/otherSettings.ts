import { factsOf, isLive } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { Setting } from "../../../platforms/Platform.ts"
import type { PostJson } from "../../api/postStatus.ts"
import { replies } from "./replies.ts"

/** The chosen settings of platforms other than X, by platform and name. */
export type OtherSettings = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface OwnSetting {
  readonly platform: LivePlatform
  readonly name: string
  readonly setting: Setting
}

const settingsOf = (platforms: ReadonlyArray<LivePlatform>): ReadonlyArray<OwnSetting> =>
  platforms.flatMap((platform) =>
    Object.entries(factsOf(platform).settings).map(([name, setting]) => ({ platform, name, setting }))
  )

/** The settings of the platforms that have fields in the form. */
export const shownSettingsFor = (platforms: ReadonlyArray<LivePlatform>): ReadonlyArray<OwnSetting> =>
  settingsOf(platforms).filter(({ setting }) => "label" in setting && setting.label !== undefined)

/** Those of platforms other than X. */
export const otherSettingsFor = (platforms: ReadonlyArray<LivePlatform>): ReadonlyArray<OwnSetting> =>
  settingsOf(platforms.filter((platform) => platform !== replies.platform))

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === "string"

export const otherSettingsOf = ({ platform_settings }: Pick<PostJson, "platform_settings">): OtherSettings =>
  Object.fromEntries(
    Object.entries(platform_settings).flatMap(([platform, own]) => {
      const chosen = Object.entries<unknown>(own).filter(isText)
      return isLive(platform) && platform !== replies.platform && chosen.length > 0
        ? [[platform, Object.fromEntries(chosen)] as const]
        : []
    })
  )

/** Without an empty value, and without a platform that has no values. */
export const withSetting = (
  settings: OtherSettings,
  { name, platform }: Pick<OwnSetting, "name" | "platform">,
  value: string | null
): OtherSettings => {
  const { [platform]: own = {}, ...others } = settings
  const kept = Object.fromEntries(Object.entries(own).filter(([other]) => other !== name))
  const changed = value === null || value === "" ? kept : { ...kept, [name]: value }
  return Object.keys(changed).length === 0 ? others : { ...others, [platform]: changed }
}

export const settingsFor = (settings: OtherSettings, platforms: ReadonlyArray<LivePlatform>): OtherSettings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => platforms.some((platform) => platform === name)))

export const isOtherSettings = (value: unknown): value is OtherSettings =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every(
    (own: unknown) => typeof own === "object" && own !== null && Object.entries<unknown>({ ...own }).every(isText)
  )
