import type { Issue } from "../errors.ts"
import type { MediaFacts, Renditions } from "./media.ts"
import { factsFor, maxPostMedia } from "./media.ts"
import { platformName } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"
import { type AltUnit, measureAlt } from "./altLength.ts"
import { exportHints } from "./exportHints.ts"

export type DescribedMedia = MediaFacts & { readonly alt: string }

/** Times in milliseconds, sizes in bytes, sides in pixels. */
export interface FileRule {
  readonly contentTypes: ReadonlyArray<string>
  readonly minSize?: number
  readonly maxSize: number
  readonly longestSide?: number
  readonly shortestSide?: { readonly min: number; readonly max: number }
  /** The longer side divided by the shorter. */
  readonly maxRatio?: number
  /** The smallest sides, if the platform accepts only files that are higher than wide. */
  readonly upright?: { readonly width: number; readonly height: number }
  readonly maxFrames?: number
  /** The sum over all frames. */
  readonly maxPixels?: number
  readonly minFrameRate?: number
  readonly maxFrameRate?: number
  readonly maxWidth?: number
  readonly minDuration?: number
  readonly maxDuration?: number
  readonly videoCodecs?: ReadonlyArray<string>
  readonly audioCodecs?: ReadonlyArray<string>
  readonly audioProfiles?: ReadonlyArray<string>
  readonly maxAudioChannels?: number
  readonly chromas?: ReadonlyArray<string>
  readonly isSquareProgressive?: boolean
  /** True if the platform refuses an open GOP. */
  readonly hasClosedGroups?: boolean
  /** Beyond these, the platform may refuse a file after its upload. */
  readonly doubts?: { readonly duration: number; readonly bitDepth?: number; readonly keyframeDistance?: number }
}

export interface MediaRules {
  readonly maxAlt: number
  readonly altUnit: AltUnit
  /** The most files of a post: `usualFiles` by default. */
  readonly maxFiles?: number
  readonly image: FileRule
  /** A string if the platform accepts no GIF: the reason. */
  readonly gif: FileRule | string
  readonly video: FileRule
  /** The rule for videos that are higher than wide, if another one applies to them. */
  readonly uprightVideo?: FileRule
  /** The reason if the platform accepts no file at all, or none of these kinds. */
  readonly refused?: string
  readonly refusedTypes?: ReadonlyArray<MediaFacts["type"]>
}

/** The files that a post can have on most platforms. */
const usualFiles = 4

export const maxFilesOf = ({ maxFiles = usualFiles }: MediaRules): number => maxFiles

export const megabyte = 1_000_000
export const stillImages = ["image/jpeg", "image/png", "image/webp"]

export const inMegabytes = (size: number): string =>
  `${(size / megabyte).toLocaleString("en-US", { maximumFractionDigits: 3 })} MB`
export const inSeconds = (millis: number): string =>
  `${(millis / 1000).toLocaleString("en-US", { maximumFractionDigits: 3 })} s`

/** Profiles of AAC other than AAC-LC. */
const aacNames: Readonly<Record<string, string>> = {
  "mp4a.40.1": "AAC Main",
  "mp4a.40.5": "HE-AAC",
  "mp4a.40.29": "HE-AAC v2",
  "mp4a.40.42": "xHE-AAC"
}

const codecNames: Readonly<Record<string, string>> = {
  h264: "H.264",
  avc: "H.264",
  hevc: "HEVC (H.265)",
  vp8: "VP8",
  vp9: "VP9",
  av1: "AV1",
  aac: "AAC"
}
const listOr = (words: Iterable<string>): string => new Intl.ListFormat("en", { type: "disjunction" }).format(words)
const nameCodec = (codec: string | null): string => (codec === null ? "an unknown codec" : (codecNames[codec] ?? codec))

const listCodecs = (codecs: ReadonlyArray<string> = []): string => listOr(new Set(codecs.map(nameCodec)))

const kinds = { image: "images", gif: "GIFs", video: "videos" } as const

/** Each refusal completes a sentence that begins with the platform's name. */
const refusals = (rule: FileRule, media: MediaFacts): ReadonlyArray<string> => {
  const { audioCodec, contentType, durationMs, encoding, frameRate, frames, height, size, type, videoCodec, width } =
    media
  const kind = rule.upright === undefined ? kinds[type] : `upright ${kinds[type]}`
  const longest = Math.max(width, height)
  const shortest = Math.min(width, height)
  const found: Array<string> = []
  const refuseIf = (isRefused: boolean, message: () => string) => {
    if (isRefused) found.push(message())
  }
  const {
    audioCodecs,
    contentTypes,
    longestSide,
    maxDuration,
    maxFrameRate,
    maxFrames,
    maxPixels,
    maxWidth,
    minFrameRate
  } = rule
  const { maxRatio, maxSize, minDuration, minSize, shortestSide, upright, videoCodecs } = rule
  refuseIf(!contentTypes.includes(contentType), () =>
    contentTypes.length === 0
      ? `accepts no ${kind}`
      : `accepts ${kind} as ${contentTypes.join(", ")}, not ${contentType}${type === "video" ? `; ${exportHints.type}` : ""}`
  )
  refuseIf(
    size > maxSize,
    () =>
      `accepts ${kind} up to ${inMegabytes(maxSize)}, but this one is ${inMegabytes(size)}${type === "video" ? `; ${exportHints.size}` : ""}`
  )
  refuseIf(
    minSize !== undefined && size < minSize,
    () => `accepts ${kind} of at least ${inMegabytes(minSize ?? 0)}, but this one is ${inMegabytes(size)}`
  )
  refuseIf(
    (longestSide !== undefined && longest > longestSide) || (shortestSide !== undefined && shortest > shortestSide.max),
    () =>
      `accepts ${kind} up to ${longestSide}x${shortestSide?.max} pixels, but this one is ${width}x${height}; ${exportHints.sides}`
  )
  refuseIf(
    shortestSide !== undefined && shortest < shortestSide.min,
    () =>
      `accepts ${kind} of at least ${shortestSide?.min}x${shortestSide?.min} pixels, but this one is ${width}x${height}`
  )
  refuseIf(
    maxRatio !== undefined && longest > shortest * maxRatio,
    () =>
      `accepts ${kind} with aspect ratios from 1:${maxRatio} to ${maxRatio}:1, but this one is ${width}x${height} pixels; ${exportHints.ratio}`
  )
  refuseIf(
    upright !== undefined && (width >= height || width < upright.width || height < upright.height),
    () =>
      `accepts ${kind} of at least ${upright?.width}x${upright?.height} pixels, 9:16 at best, but this one is ${width}x${height}`
  )
  refuseIf(
    maxFrames !== undefined && frames !== null && frames > maxFrames,
    () => `accepts ${kind} with up to ${maxFrames} frames, but this one has ${frames}; ${exportHints.frames}`
  )
  refuseIf(
    maxPixels !== undefined && width * height * (frames ?? 1) > maxPixels,
    () => `accepts ${kind} with up to ${maxPixels?.toLocaleString("en-US")} pixels over all frames`
  )
  refuseIf(
    maxWidth !== undefined && width > maxWidth,
    () => `accepts ${kind} up to ${maxWidth} pixels wide, but this one has ${width}; ${exportHints.sides}`
  )
  refuseIf(
    frameRate !== null &&
      ((maxFrameRate !== undefined && Math.round(frameRate) > maxFrameRate) ||
        (minFrameRate !== undefined && Math.round(frameRate) < minFrameRate)),
    () => {
      const range = minFrameRate === undefined ? `up to ${maxFrameRate}` : `${minFrameRate} to ${maxFrameRate}`
      return `accepts ${kind} with ${range} frames per second, but this one has ${Math.round(frameRate ?? 0)}; ${exportHints.frameRate}`
    }
  )
  refuseIf(
    (minDuration !== undefined && durationMs !== null && durationMs < minDuration) ||
      (maxDuration !== undefined && durationMs !== null && durationMs > maxDuration),
    () => {
      const range =
        minDuration === undefined
          ? `${inSeconds(maxDuration ?? 0)} at most`
          : `${inSeconds(minDuration)} to ${inSeconds(maxDuration ?? 0)}`
      const isLong = durationMs !== null && maxDuration !== undefined && durationMs > maxDuration
      return `accepts ${kind} of ${range}, but this one has ${inSeconds(durationMs ?? 0)}${isLong ? `; ${exportHints.long}` : ""}`
    }
  )
  refuseIf(
    videoCodecs !== undefined && (videoCodec === null || !videoCodecs.includes(videoCodec)),
    () =>
      `accepts ${kind} in ${listCodecs(videoCodecs)}, but this one is in ${nameCodec(videoCodec)}; ${exportHints.videoCodec}`
  )
  refuseIf(
    audioCodecs !== undefined && audioCodec !== null && !audioCodecs.includes(audioCodec),
    () =>
      `accepts ${kind} with sound in ${listCodecs(audioCodecs)}, but this one has ${nameCodec(audioCodec)}; ${exportHints.sound}`
  )
  if (encoding === undefined) return found
  const { audioChannels, audioProfile, chroma, closedGop, interlaced, squarePixels } = encoding
  const { audioProfiles, chromas, hasClosedGroups, isSquareProgressive, maxAudioChannels } = rule
  refuseIf(
    audioProfiles !== undefined &&
      audioCodec === "aac" &&
      audioProfile !== null &&
      !audioProfiles.includes(audioProfile),
    () =>
      `accepts ${kind} with sound in AAC-LC, but this one has ${aacNames[audioProfile ?? ""] ?? audioProfile}; ${exportHints.sound}`
  )
  refuseIf(
    maxAudioChannels !== undefined && audioChannels !== null && audioChannels > maxAudioChannels,
    () =>
      `accepts ${kind} with sound in mono or stereo, but this one has ${audioChannels} channels; ${exportHints.sound}`
  )
  refuseIf(
    chromas !== undefined && chroma !== null && !chromas.includes(chroma),
    () => `accepts ${kind} with colors in 4:2:0, but this one has ${chroma}; ${exportHints.chroma}`
  )
  refuseIf(
    isSquareProgressive === true && interlaced === true,
    () => `accepts progressive ${kind}, but this one is interlaced; ${exportHints.interlaced}`
  )
  refuseIf(
    isSquareProgressive === true && !squarePixels,
    () => `accepts only ${kind} with square pixels; ${exportHints.pixels}`
  )
  refuseIf(
    hasClosedGroups === true && closedGop === false,
    () => `accepts ${kind} with closed groups of pictures, but this one has open ones; ${exportHints.groups}`
  )
  return found
}

const animatedImage = ({ gif }: MediaRules): string =>
  typeof gif === "string"
    ? "shows only the first frame of an animated image; send it as a video (MP4) or a still image instead"
    : "accepts animated images only as GIFs; convert it to a GIF or a video (MP4)"

export const isUprightVideo = ({ height, type, width }: Pick<MediaFacts, "height" | "type" | "width">): boolean =>
  type === "video" && height > width

/** A string if the platform accepts no such file: the reason. */
export const ruleFor = (rules: MediaRules, media: MediaFacts): FileRule | string =>
  isUprightVideo(media) ? (rules.uprightVideo ?? rules.video) : rules[media.type]

const fileRefusals = (rules: MediaRules, media: MediaFacts): ReadonlyArray<string> => {
  if (rules.refused !== undefined && rules.refusedTypes?.includes(media.type) !== false) return [rules.refused]
  const rule = ruleFor(rules, media)
  if (typeof rule === "string") return [rule]
  return [...(media.type === "image" && media.animated ? [animatedImage(rules)] : []), ...refusals(rule, media)]
}

export const findCombinationIssues = (types: ReadonlyArray<MediaFacts["type"]>): ReadonlyArray<Issue> => {
  if (types.length <= 1) return []
  if (types.every((type) => type === "image")) {
    return types.length <= maxPostMedia
      ? []
      : [{ path: ["media"], message: `A post can have up to ${maxPostMedia} images, but this one has ${types.length}` }]
  }
  return [{ path: ["media"], message: "A post can have images, or one GIF, or one video, but not a mix" }]
}

const longAlt = (platform: LivePlatform, index: number, limit: number, length: number): ReadonlyArray<Issue> =>
  length <= limit
    ? []
    : [
        {
          path: ["media", index, "alt"],
          message: `${platform} accepts ${limit} characters, but this text has ${length}`,
          code: "alt_too_long",
          facts: { platform, limit, length }
        }
      ]

/** Checks each file by a platform's rules; `findCombinationIssues` checks them together. */
export const checkMedia = (
  own: MediaRules,
  platform: LivePlatform,
  media: ReadonlyArray<DescribedMedia>
): ReadonlyArray<Issue> => {
  const { altUnit, maxAlt } = own
  return media.flatMap((file, index): ReadonlyArray<Issue> => [
    ...fileRefusals(own, file).map((reason): Issue => ({
      path: ["media", index],
      message: `${platform} ${reason}`,
      code: "file_refused",
      facts: { platform, reason }
    })),
    ...longAlt(platform, index, maxAlt, measureAlt(altUnit, file.alt))
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
          message: `${platform}: this file can't be converted for ${platformName(platform)}; upload it again, or use another file`,
          code: "file_inconvertible",
          facts: { platform }
        }
      ]
}
