import { Effect, Option, Schema } from "effect"
import type { PostingOptions } from "../../domain/accounts/postingOptions.ts"
import { type PlatformError, Rejected } from "../../domain/publishing/platformError.ts"
import type { PlatformSettings } from "../../domain/posts/platformSettings.ts"
import { inSeconds } from "../../domain/media/mediaRules.ts"
import { settingText } from "../../domain/plain/shownText.ts"
import { readResponse } from "../call.ts"
import { failAt } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import type { TiktokApi } from "./api.ts"
import type { SentVideo } from "./prepared.ts"
import { isOk, refusedIdly } from "./problem.ts"
import { tiktok as settings } from "./settings.ts"
import { TiktokUsername } from "./syntax.ts"

type Chosen = NonNullable<PlatformSettings["tiktok"]>

const flag = Schema.optionalKey(Schema.Boolean)

/** The options of an account at the moment. */
const Creator = Schema.Struct({
  creator_username: TiktokUsername,
  creator_nickname: Schema.optionalKey(Schema.Unknown),
  privacy_level_options: Schema.Array(Schema.String),
  comment_disabled: flag,
  duet_disabled: flag,
  stitch_disabled: flag,
  max_video_post_duration_sec: Schema.optionalKey(Schema.Unknown)
})
type Creator = typeof Creator.Type
const readCreator = readResponse(Schema.Struct({ data: Creator }))

/** In seconds, up to a day. */
const isLimit = Schema.is(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 })))

/** In milliseconds. Undefined if TikTok names no limit that a video can have. */
const longestVideo = ({ max_video_post_duration_sec: seconds }: Creator): number | undefined =>
  isLimit(seconds) ? seconds * 1000 : undefined

export const askCreator = Effect.fn("Tiktok.askCreator")(function* (
  { ask }: Pick<TiktokApi, "ask">,
  account: AccountAccess
) {
  const response = yield* ask(account, "creator_info/query", {})
  const creator = isOk(response) ? readCreator(response) : Option.none()
  return Option.isSome(creator) ? creator.value.data : yield* failAt((now): PlatformError => refusedIdly(response, now))
})

const labels: Readonly<Record<string, string>> = settings.privacy_level.choices

/** An option that the service's API does not have is left out. */
export const postingOptions = (creator: Creator): PostingOptions => ({
  username: creator.creator_username,
  display_name: displayName(creator.creator_nickname),
  settings: [
    {
      name: "privacy_level",
      choices: creator.privacy_level_options.filter((option) => labels[option] !== undefined),
      is_available: true
    },
    { name: "allow_comment", choices: null, is_available: creator.comment_disabled !== true },
    { name: "allow_duet", choices: null, is_available: creator.duet_disabled !== true },
    { name: "allow_stitch", choices: null, is_available: creator.stitch_disabled !== true }
  ],
  max_video_duration_ms: longestVideo(creator) ?? null
})

const listed = (options: ReadonlyArray<string>): string =>
  options.flatMap((option) => (labels[option] === undefined ? [] : [`${option} (“${labels[option]}”)`])).join(", ") ||
  "none of the options that this service knows"

/** The account's own limits, which may have changed since the post was scheduled. */
const refusalOf = (creator: Creator, { privacy_level }: Chosen, { durationMs }: SentVideo): string | undefined => {
  const { privacy_level_options: options } = creator
  const longest = longestVideo(creator)
  if (privacy_level === undefined) return "TikTok needs to know who can see the video (privacy_level)"
  if (!options.includes(privacy_level)) {
    return `TikTok does not offer ${privacy_level} to this account at the moment, but ${listed(options)}. Copy the post with one of them as privacy_level`
  }
  return longest !== undefined && durationMs !== null && durationMs > longest
    ? `TikTok accepts videos of this account up to ${inSeconds(longest)}, but this one has ${inSeconds(durationMs)}. Copy the post with a shorter one`
    : undefined
}

/** TikTok's name for a post's text and settings. What is not allowed is forbidden. */
export const postInfo = (
  creator: Creator,
  caption: string,
  chosen: Chosen,
  video: SentVideo
): Effect.Effect<Readonly<Record<string, string | boolean>>, Rejected> => {
  const refusal = refusalOf(creator, chosen, video)
  if (refusal !== undefined) return new Rejected({ message: refusal })
  const { allow_comment = false, allow_duet = false, allow_stitch = false, privacy_level = "" } = chosen
  return Effect.succeed({
    title: caption,
    privacy_level,
    disable_comment: !allow_comment || creator.comment_disabled === true,
    disable_duet: !allow_duet || creator.duet_disabled === true,
    disable_stitch: !allow_stitch || creator.stitch_disabled === true,
    brand_content_toggle: chosen.is_branded_content ?? false,
    brand_organic_toggle: chosen.promotes_own_brand ?? false,
    is_aigc: chosen.is_ai_generated ?? false
  })
}

export const seenBy = ({ privacy_level }: Chosen): "everybody" | "some" =>
  privacy_level === "PUBLIC_TO_EVERYONE" ? "everybody" : "some"

/** `tiktok_title` replaces the text. */
export const captionOf = (text: string, chosen: Chosen): string =>
  settingText("tiktok", { tiktok: chosen })?.text ?? text
