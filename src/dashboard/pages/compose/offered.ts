import type { LivePlatform } from "../../../domain/platform.ts"
import { accountName, platformName } from "../../../domain/plain/platforms.ts"
import { describeFailure, type Failure, hasCode, withPeriod } from "../../api/errors.ts"
import type { PostingOptionsJson } from "../../api/postingOptions.ts"
import type { OwnSetting } from "./otherSettings.ts"

interface Offered {
  /** False if the account has switched the setting off. */
  readonly isAvailable: boolean
  readonly choices: ReadonlyArray<{ readonly choice: string; readonly label: string }>
  /** True if the chosen value is not among them. It stays in the list, so that a person sees it. */
  readonly isRefused: boolean
}

/**
 * An account's choices for a setting.
 * @param options Undefined if they are not known. Then it may choose everything.
 */
export const offered = (
  { name, setting }: Pick<OwnSetting, "name" | "setting">,
  options: PostingOptionsJson | undefined,
  chosen: string
): Offered => {
  const own = options?.settings.find((each) => each.name === name)
  const all = setting.kind === "choice" ? Object.entries(setting.choices) : []
  const isOffered = (choice: string) => own?.choices?.includes(choice) ?? true
  return {
    isAvailable: own?.is_available ?? true,
    choices: all
      .filter(([choice]) => isOffered(choice) || choice === chosen)
      .map(([choice, label]) => ({ choice, label })),
    isRefused: chosen !== "" && !isOffered(chosen)
  }
}

/** The platform's own reason helps more than that of the service. */
export const describeUnasked = (error: Failure): string => {
  const reason =
    error._tag === "ApiError" && hasCode(error, "platform_unavailable", "needs_reconnect")
      ? withPeriod(error.detail)
      : describeFailure(error)
  return `${reason} All choices are shown until then.`
}

const inMinutes = (millis: number): string =>
  millis % 60_000 === 0 && millis > 60_000 ? `${millis / 60_000} minutes` : `${millis / 1000} seconds`

export const describeAccount = (platform: LivePlatform, options: PostingOptionsJson): string => {
  const { display_name, max_video_duration_ms, username } = options
  const handle = accountName(platform, username)
  const name = display_name === null || display_name === username ? handle : `${display_name} (${handle})`
  const longest = max_video_duration_ms === null ? "" : ` Videos of up to ${inMinutes(max_video_duration_ms)}.`
  return `Posts to ${platformName(platform)} as ${name}.${longest}`
}
