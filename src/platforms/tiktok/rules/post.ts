import type { PlatformRules, PostRefusal } from "../../../domain/posts/platformRules.ts"
import type { tiktok as settings } from "../settings.ts"
import { measure } from "./text.ts"

const about = (setting: keyof typeof settings, reason: string): PostRefusal => ({ setting, reason })

/** The rules for a post's files and settings together. */
export const refusePost: NonNullable<PlatformRules["refusePost"]> = (files, { tiktok: chosen = {} }) => {
  const { is_branded_content = false, privacy_level, tiktok_title = "" } = chosen
  const title = measure(tiktok_title)
  return [
    ...(files.length === 0 ? [{ reason: "accepts no post without a video; add one" }] : []),
    ...(privacy_level === undefined
      ? [about("privacy_level", "needs to know who can see the video; choose one of the account's options")]
      : []),
    ...(is_branded_content && privacy_level === "SELF_ONLY"
      ? [about("privacy_level", "shows branded content to others; choose who else can see the video")]
      : []),
    ...(title.valid
      ? []
      : [about("tiktok_title", `accepts ${title.limit} characters, but this caption has ${title.length}`)])
  ]
}
