import type { Issue } from "../errors.ts"
import type { MediaFacts, Renditions } from "./media.ts"
import { factsFor, maxPostMedia } from "./media.ts"
import { platformName } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"

export type DescribedMedia = MediaFacts & { readonly alt: string }

/** Times in milliseconds, sizes in bytes, sides in pixels. */
export interface FileRule {
  readonly contentTypes: ReadonlyArray<string>
  readonly maxSize: number
  readonly longestSide?: number
  readonly shortestSide?: { readonly min: number; readonly max: number }
  /** The longer side divided by the shorter. */
  readonly maxRatio?: number
  readonly maxFrames?: number
  /** The sum over all frames. */
  readonly maxPixels?: number
  readonly maxFrameRate?: number
  readonly minDuration?: number
  readonly maxDuration?: number
  readonly videoCodecs?: ReadonlyArray<string>
  readonly audioCodecs?: ReadonlyArray<string>
  readonly audioProfiles?: ReadonlyArray<string>
  readonly maxAudioChannels?: number
  readonly chromas?: ReadonlyArray<string>
  readonly isSquareProgressive?: boolean
}

export interface MediaRules {
  /** In UTF-16 code units. */
  readonly maxAlt: number
  readonly image: FileRule
  /** A string if the platform accepts no GIF: the reason. */
  readonly gif: FileRule | string
  readonly video: FileRule
}

export const megabyte = 1_000_000
export const stillImages = ["image/jpeg", "image/png", "image/webp"]

const inMegabytes = (size: number): string =>
  `${(size / megabyte).toLocaleString("en-US", { maximumFractionDigits: 3 })} MB`
const inSeconds = (millis: number): string =>
  `${(millis / 1000).toLocaleString("en-US", { maximumFractionDigits: 3 })} s`

/** Profiles of AAC other than AAC-LC. */
const aacNames: Readonly<Record<string, string>> = {
  "mp4a.40.1": "AAC Main",
  "mp4a.40.5": "HE-AAC",
  "mp4a.40.29": "HE-AAC v2",
  "mp4a.40.42": "xHE-AAC"
}

const kinds = { image: "images", gif: "GIFs", video: "videos" } as const

/** Each refusal completes a sentence that begins with the platform's name. */
const refusals = (rule: FileRule, media: MediaFacts): ReadonlyArray<string> => {
  const { audioCodec, contentType, durationMs, encoding, frameRate, frames, height, size, type, videoCodec, width } =
    media
  const kind = kinds[type]
  const longest = Math.max(width, height)
  const shortest = Math.min(width, height)
  const found: Array<string> = []
  const refuseIf = (isRefused: boolean, message: () => string) => {
    if (isRefused) found.push(message())
  }
  const { audioCodecs, contentTypes, longestSide, maxDuration, maxFrameRate, maxFrames, maxPixels } = rule
  const { maxRatio, maxSize, minDuration, shortestSide, videoCodecs } = rule
  refuseIf(
    !contentTypes.includes(contentType),
    () => `accepts ${kind} as ${contentTypes.join(", ")}, not ${contentType}`
  )
  refuseIf(size > maxSize, () => `accepts ${kind} up to ${inMegabytes(maxSize)}, but this one is ${inMegabytes(size)}`)
  refuseIf(
    (longestSide !== undefined && longest > longestSide) || (shortestSide !== undefined && shortest > shortestSide.max),
    () => `accepts ${kind} up to ${longestSide}x${shortestSide?.max} pixels, but this one is ${width}x${height}`
  )
  refuseIf(
    shortestSide !== undefined && shortest < shortestSide.min,
    () =>
      `accepts ${kind} of at least ${shortestSide?.min}x${shortestSide?.min} pixels, but this one is ${width}x${height}`
  )
  refuseIf(
    maxRatio !== undefined && longest > shortest * maxRatio,
    () =>
      `accepts ${kind} with aspect ratios from 1:${maxRatio} to ${maxRatio}:1, but this one is ${width}x${height} pixels`
  )
  refuseIf(
    maxFrames !== undefined && frames !== null && frames > maxFrames,
    () => `accepts ${kind} with up to ${maxFrames} frames, but this one has ${frames}`
  )
  refuseIf(
    maxPixels !== undefined && width * height * (frames ?? 1) > maxPixels,
    () => `accepts ${kind} with up to ${maxPixels?.toLocaleString("en-US")} pixels over all frames`
  )
  refuseIf(
    maxFrameRate !== undefined && frameRate !== null && frameRate > maxFrameRate,
    () => `accepts ${kind} with up to ${maxFrameRate} frames per second, but this one has ${frameRate}`
  )
  refuseIf(
    (minDuration !== undefined && durationMs !== null && durationMs < minDuration) ||
      (maxDuration !== undefined && durationMs !== null && durationMs > maxDuration),
    () =>
      `accepts ${kind} of ${minDuration === undefined ? "" : `${inSeconds(minDuration)} to `}${inSeconds(maxDuration ?? 0)}` +
      `${minDuration === undefined ? " at most" : ""}, but this one has ${inSeconds(durationMs ?? 0)}`
  )
  refuseIf(
    videoCodecs !== undefined && (videoCodec === null || !videoCodecs.includes(videoCodec)),
    () => `accepts ${kind} in H.264, but this one is in ${videoCodec ?? "an unknown codec"}`
  )
  refuseIf(
    audioCodecs !== undefined && audioCodec !== null && !audioCodecs.includes(audioCodec),
    () => `accepts ${kind} with sound in AAC, but this one has ${audioCodec ?? ""}`
  )
  if (encoding === undefined) return found
  const { audioChannels, audioProfile, chroma, interlaced, squarePixels } = encoding
  const { audioProfiles, chromas, isSquareProgressive, maxAudioChannels } = rule
  refuseIf(
    audioProfiles !== undefined &&
      audioCodec === "aac" &&
      audioProfile !== null &&
      !audioProfiles.includes(audioProfile),
    () => `accepts ${kind} with sound in AAC-LC, but this one has ${aacNames[audioProfile ?? ""] ?? audioProfile}`
  )
  refuseIf(
    maxAudioChannels !== undefined && audioChannels !== null && audioChannels > maxAudioChannels,
    () => `accepts ${kind} with sound in mono or stereo, but this one has ${audioChannels} channels`
  )
  refuseIf(
    chromas !== undefined && chroma !== null && !chromas.includes(chroma),
    () => `accepts ${kind} with colors in 4:2:0, but this one has ${chroma}`
  )
  refuseIf(
    isSquareProgressive === true && interlaced === true,
    () => `accepts progressive ${kind}, but this one is interlaced`
  )
  refuseIf(isSquareProgressive === true && !squarePixels, () => `accepts only ${kind} with square pixels`)
  return found
}

const fileRefusals = (rules: MediaRules, media: MediaFacts): ReadonlyArray<string> => {
  const { [media.type]: rule } = rules
  if (typeof rule === "string") return [rule]
  return [
    ...(media.type === "image" && media.animated ? ["accepts animated images only as GIFs"] : []),
    ...refusals(rule, media)
  ]
}

export const findCombinationIssues = (types: ReadonlyArray<MediaFacts["type"]>): ReadonlyArray<Issue> => {
  if (types.length <= 1) return []
  if (types.every((type) => type === "image")) {
    return types.length <= maxPostMedia
      ? []
      : [{ path: ["media"], message: `A post can have up to ${maxPostMedia} images, but this one has ${types.length}` }]
  }
  return [{ path: ["media"], message: "A post can have up to four images, or one GIF, or one video, but not a mix" }]
}

const longAlt = (platform: LivePlatform, index: number, limit: number, length: number): Issue => ({
  path: ["media", index, "alt"],
  message: `${platform} accepts ${limit} characters, but this text has ${length}`,
  code: "alt_too_long",
  facts: { platform, limit, length }
})

/** Checks each file by a platform's rules; `findCombinationIssues` checks them together. */
export const checkMedia = (
  own: MediaRules,
  platform: LivePlatform,
  media: ReadonlyArray<DescribedMedia>
): ReadonlyArray<Issue> => {
  const { maxAlt } = own
  return media.flatMap((file, index): ReadonlyArray<Issue> => [
    ...fileRefusals(own, file).map((reason): Issue => ({
      path: ["media", index],
      message: `${platform} ${reason}`,
      code: "file_refused",
      facts: { platform, reason }
    })),
    ...(file.alt.length > maxAlt ? [longAlt(platform, index, maxAlt, file.alt.length)] : [])
  ])
}

/** Checks one file like `checkMedia`, and also reports a file that could not be converted for the platform. */
export const checkFile = (
  own: MediaRules,
  platform: LivePlatform,
  { facts, renditions }: { readonly facts: MediaFacts; readonly renditions: Renditions },
  alt: string
): ReadonlyArray<Issue> => {
  const issues = checkMedia(own, platform, [{ ...factsFor(platform, facts, renditions), alt }])
  return issues.length > 0 || renditions[platform] !== undefined
    ? issues
    : [
        {
          path: ["media", 0],
          message: `${platform}: this file can't be converted for ${platformName(platform)}; use another file`,
          code: "file_inconvertible",
          facts: { platform }
        }
      ]
}
