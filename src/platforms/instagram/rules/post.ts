import type { MediaFacts } from "../../../domain/media/media.ts"
import { inMegabytes, inSeconds } from "../../../domain/media/mediaRules.ts"
import type { PlatformRules, PostRefusal } from "../../../domain/posts/platformRules.ts"
import * as limits from "../limits.ts"
import type { instagram as settings } from "../settings.ts"
import { isUsername, usernameOf } from "./collaborators.ts"

/** The largest part of a picture that Instagram accepts. */
const cropOf = ({ height, width }: MediaFacts): string =>
  width * 100 < height * limits.narrowest
    ? `${width}x${Math.floor((width * 100) / limits.narrowest)} pixels (4:5)`
    : `${Math.floor((height * limits.widest) / 100)}x${height} pixels (1.91:1)`

/** Pictures of stories may have any ratio. */
const refuseRatio = (file: MediaFacts): ReadonlyArray<string> => {
  const { height, type, width } = file
  const isWithin = width * 100 >= height * limits.narrowest && width * 100 <= height * limits.widest
  return type !== "image" || isWithin
    ? []
    : [
        `accepts pictures with aspect ratios from 4:5 to 1.91:1, but this one is ${width}x${height} pixels; crop it to ${cropOf(file)}, or post it as a story`
      ]
}

const refuseVideo = ({ durationMs, size, type }: MediaFacts): ReadonlyArray<string> => {
  const rate = durationMs === null || durationMs === 0 ? 0 : (size * 8_000) / durationMs
  return type === "video" && rate > limits.videoRate
    ? [
        `accepts videos with up to ${limits.videoRate / 1_000_000} Mbit/s, but this one has ${Math.ceil(rate / 1_000_000)}; export it at a lower bit rate`
      ]
    : []
}

const refuseStory = ({ durationMs, size, type }: MediaFacts): ReadonlyArray<string> => [
  ...(type === "video" && durationMs !== null && durationMs > limits.longestStory
    ? [
        `accepts stories up to ${inSeconds(limits.longestStory)}, but this video has ${inSeconds(durationMs)}; make it shorter, or post it as a reel`
      ]
    : []),
  ...(type === "video" && size > limits.storyBytes
    ? [
        `accepts videos of stories up to ${inMegabytes(limits.storyBytes)}, but this one has ${inMegabytes(size)}; export it smaller`
      ]
    : [])
]

/** The first five, because a request can name many. */
const quoted = (names: ReadonlyArray<string>): string =>
  [...new Set(names)]
    .slice(0, 5)
    .map((name) => `“${name}”`)
    .join(", ")

const refuseCollaborators = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const usernames = names.map((name) => usernameOf(name).toLowerCase())
  const wrong = names.filter((name) => !isUsername(usernameOf(name)))
  const repeated = usernames.filter((name, index) => usernames.indexOf(name) < index)
  return [
    ...(wrong.length === 0 ? [] : [`has no username ${quoted(wrong)} to invite as a collaborator`]),
    ...(repeated.length === 0 ? [] : [`invites each collaborator once, but ${quoted(repeated)} is here twice`]),
    ...(names.length > limits.collaborators
      ? [`accepts ${limits.collaborators} collaborators, but this post has ${names.length}`]
      : [])
  ]
}

const alone = (reasons: ReadonlyArray<string>): ReadonlyArray<PostRefusal> => reasons.map((reason) => ({ reason }))

const ofSetting =
  (setting: keyof typeof settings) =>
  (reasons: ReadonlyArray<string>): ReadonlyArray<PostRefusal> =>
    reasons.map((reason) => ({ setting, reason }))

const ofCover = ofSetting("cover_at")
const ofCollaborators = ofSetting("collaborators")

/** The rules that depend on the kind of post. Files that are still being read have no facts. */
export const refusePost: NonNullable<PlatformRules["refusePost"]> = (files, { instagram: chosen = {} }) => {
  const { collaborators = [], cover_at, post_type: type = "post" } = chosen
  const of = (refuse: (file: MediaFacts) => ReadonlyArray<string>) =>
    files.flatMap((file, index) => (file === null ? [] : refuse(file).map((reason) => ({ index, reason }))))
  const known = files.flatMap((file) => file ?? [])
  const [first] = known
  const isReel = first?.type === "video" && type !== "story"
  const isCoverLate = Number(cover_at ?? 0) * 1000 >= (first?.durationMs ?? Infinity)
  return [
    ...(files.length === 0 ? alone(["accepts no post without a picture or a video; add one"]) : []),
    ...(type === "story" && files.length > 1
      ? alone([`accepts one file in a story, but this post has ${files.length}; make a story of each`])
      : []),
    ...(type === "reel" && known.some((file) => file.type !== "video")
      ? alone(["makes reels of one video; add a video, or choose another kind of post"])
      : []),
    ...(cover_at !== undefined && known.length > 0 && !isReel
      ? ofCover(["takes a cover only for a reel; remove the cover"])
      : []),
    ...(cover_at !== undefined && isReel && isCoverLate
      ? ofCover(["takes a cover from within the video; choose an earlier second"])
      : []),
    ...(collaborators.length > 0 && type === "story"
      ? ofCollaborators(["invites no collaborators to stories; remove them"])
      : ofCollaborators(refuseCollaborators(collaborators))),
    ...of(refuseVideo),
    ...of(type === "story" ? refuseStory : refuseRatio)
  ]
}
