import { counted } from "../counted.ts"
import type { Issue } from "../errors.ts"
import type { LivePlatform } from "../platform.ts"
import { exportHints } from "./exportHints.ts"
import type { MediaFacts } from "./media.ts"
import { type MediaRules, inSeconds, ruleFor } from "./mediaRules.ts"

/** The reasons why a platform may refuse an accepted file after its upload. Each follows the platform's name. */
const doubtsOf = (rules: MediaRules, media: MediaFacts): ReadonlyArray<string> => {
  const { durationMs, encoding } = media
  const rule = ruleFor(rules, media)
  if (typeof rule === "string" || rule.doubts === undefined) return []
  const { doubts } = rule
  const { bitDepth = null, highDynamicRange = false, keyframeDistance = 0 } = encoding ?? {}
  const found: Array<string> = []
  if (durationMs !== null && durationMs > doubts.duration) {
    found.push(
      `accepts videos of more than ${inSeconds(doubts.duration)} only from some accounts, and this one has ${inSeconds(durationMs)}`
    )
  }
  const { bitDepth: mostBits, keyframeDistance: mostFrames = Infinity } = doubts
  if (mostBits !== undefined && ((bitDepth !== null && bitDepth > mostBits) || highDynamicRange)) {
    const has = bitDepth === null || bitDepth <= mostBits ? "HDR" : counted(bitDepth, "bit")
    found.push(`may refuse this video, because its colors have ${has}; ${exportHints.bitDepth}`)
  }
  if (keyframeDistance > mostFrames) {
    found.push(
      `may refuse this video, because ${counted(keyframeDistance, "frame")} lie between two keyframes; ${exportHints.keyframes}`
    )
  }
  return found
}

/** Warnings: they keep nothing from being scheduled. */
export const findMediaDoubts = (
  rules: MediaRules,
  platform: LivePlatform,
  facts: MediaFacts,
  path: Issue["path"]
): ReadonlyArray<Issue> =>
  doubtsOf(rules, facts).map((reason) => ({
    path,
    message: `${platform} ${reason}`,
    code: "file_doubtful",
    facts: { platform, reason }
  }))
