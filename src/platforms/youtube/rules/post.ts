import type { PlatformRules, PostRefusal } from "../../../domain/posts/platformRules.ts"
import { isBlank } from "../../../domain/plain/blankText.ts"
import * as limits from "../limits.ts"
import type { youtube as settings } from "../settings.ts"
import { tagsLength } from "./tags.ts"
import { refuseBrackets } from "./text.ts"

type Reasons = ReadonlyArray<string | undefined>

const refuseTitle = (title: string): Reasons => {
  if (isBlank(title)) return ["needs a title for each video; add one"]
  const { length } = title.trim()
  return [
    length > limits.title
      ? `accepts titles of up to ${limits.title} characters, but this one has ${length}`
      : undefined,
    refuseBrackets(title, "a title")
  ]
}

const refuseTags = (tags: ReadonlyArray<string>): Reasons => {
  const length = tagsLength(tags)
  return [
    tags.some(isBlank) ? "accepts no empty tags; remove them" : undefined,
    length > limits.tags
      ? `accepts tags of up to ${limits.tags} characters in all, with commas, and with quotes around tags with spaces, but these have ${length}`
      : undefined,
    refuseBrackets(tags.join(","), "tags")
  ]
}

const ofSetting = (setting: keyof typeof settings, reasons: Reasons): ReadonlyArray<PostRefusal> =>
  reasons.flatMap((reason) => (reason === undefined ? [] : [{ setting, reason }]))

/** Each post is one video with a title. Files that are still being read have no facts. */
export const refusePost: NonNullable<PlatformRules["refusePost"]> = (files, { youtube: chosen = {} }) => {
  const { title = "", youtube_tags = [] } = chosen
  return [
    ...(files.length === 0 ? [{ reason: "accepts no post without a video; add one" }] : []),
    ...ofSetting("title", refuseTitle(title)),
    ...ofSetting("youtube_tags", refuseTags(youtube_tags))
  ]
}
