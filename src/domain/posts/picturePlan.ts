import { Data, Result } from "effect"
import type { PictureRule, Settings } from "../../platforms/Platform.ts"
import { settings as ownSettings } from "../../platforms/settings.ts"
import { InvalidRequest } from "../errors.ts"
import { platforms } from "../plain/platforms.ts"
import type { Platform } from "../platform.ts"
import { fieldOf, isKeptPicture, type KeptPicture, type PlatformSettings, withField } from "./platformSettings.ts"
import type { StoredPost } from "./postPlan.ts"

/** A setting whose URL leads to a picture. */
interface PictureSetting {
  readonly platform: Platform
  readonly field: string
  readonly rule: PictureRule
}

const pictureSettings: ReadonlyArray<PictureSetting> = platforms.flatMap((platform) => {
  const own: Settings = ownSettings[platform]
  return Object.entries(own).flatMap(([field, setting]) =>
    setting.kind === "url" && setting.picture !== undefined ? [{ platform, field, rule: setting.picture }] : []
  )
})

/** Pictures by URL: a text is the reason why there is none, undefined if it was not looked up. */
export type FoundPictures = Pick<ReadonlyMap<string, KeptPicture | string>, "get">

export interface WantedPicture {
  readonly url: string
  readonly rule: PictureRule
}

export class PictureNeeded extends Data.TaggedError("PictureNeeded")<{
  readonly pictures: ReadonlyArray<WantedPicture>
}> {}

const urlOf = (settings: PlatformSettings, { field, platform }: PictureSetting): string | undefined => {
  const url = fieldOf(settings, platform, field)
  return typeof url === "string" ? url : undefined
}

/** The kept picture, if it is that of the present URL. */
const keptOf = (settings: PlatformSettings, setting: PictureSetting): KeptPicture | undefined => {
  const kept = fieldOf(settings, setting.platform, setting.rule.keptAs)
  return isKeptPicture(kept) && kept.url === urlOf(settings, setting) ? kept : undefined
}

/** The settings of a request with the pictures that were kept for the same URLs before. */
export const withKeptPictures = (settings: PlatformSettings, before: PlatformSettings): PlatformSettings =>
  pictureSettings.reduce((all, setting) => {
    const kept = keptOf(before, setting)
    return kept === undefined || kept.url !== urlOf(all, setting)
      ? all
      : withField(all, setting.platform, setting.rule.keptAs, kept)
  }, settings)

/** `isFinal` is true if the change schedules the post or requests approval. */
interface After {
  readonly platforms: ReadonlyArray<Platform>
  readonly settings: PlatformSettings
  readonly isFinal: boolean
}

type Before = Pick<StoredPost, "approvalRequestedRevision" | "settings" | "status">

/**
 * The settings with their pictures. A picture is looked up when the post is scheduled or approval is requested, and
 * again when its URL changes. Without it, the post is refused. Fails with all pictures that have to be looked up first.
 */
export const planPictures = (
  { isFinal, platforms: chosen, settings }: After,
  found: FoundPictures,
  before?: Before
): Result.Result<PlatformSettings, PictureNeeded | InvalidRequest> => {
  if (!isFinal) return Result.succeed(settings)
  const wasFinal = before !== undefined && (before.status !== "draft" || before.approvalRequestedRevision !== null)
  const wanted = pictureSettings.flatMap((setting) => {
    const url = urlOf(settings, setting)
    const isKept = wasFinal && keptOf(settings, setting) !== undefined
    return url === undefined || isKept || !chosen.includes(setting.platform) ? [] : [{ ...setting, url }]
  })
  const needed = wanted.filter(({ url }) => found.get(url) === undefined)
  if (needed.length > 0) return Result.fail(new PictureNeeded({ pictures: needed }))
  const issues = wanted.flatMap(({ field, platform, url }) => {
    const reason = found.get(url)
    return typeof reason === "string" ? [{ path: ["platform_settings", platform, field], message: reason }] : []
  })
  if (issues.length > 0) return Result.fail(InvalidRequest.because(...issues))
  return Result.succeed(
    wanted.reduce((all, { platform, rule, url }) => withField(all, platform, rule.keptAs, found.get(url)), settings)
  )
}
