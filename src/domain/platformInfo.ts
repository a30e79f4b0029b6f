import { liveFacts } from "../platforms/facts.ts"
import type { Setting } from "../platforms/Platform.ts"
import { settings } from "../platforms/settings.ts"
import { type FileRule, maxFilesOf, type MediaRules } from "./media/mediaRules.ts"
import { hasThreads, isAlwaysLive, isLive, platformName, platforms } from "./plain/platforms.ts"
import { type Platform, whyInReview } from "./platform.ts"
import type { Rules } from "./posts/platformRules.ts"

type ChosenSetting = Exclude<Setting, { readonly kind: "kept" }>

const isChosen = (entry: [string, Setting]): entry is [string, ChosenSetting] => entry[1].kind !== "kept"

const describeSetting = ([name, setting]: readonly [string, ChosenSetting]) => {
  const { description, kind } = setting
  const shared = { name, kind, description }
  if (setting.kind !== "choice") return { ...shared, label: null, choices: [], default: null }
  const { choices, default: byDefault = null, label } = setting
  return {
    ...shared,
    label,
    choices: Object.entries(choices).map(([value, ofValue]) => ({ value, label: ofValue })),
    default: byDefault
  }
}

const describeFiles = (rule: FileRule) => ({
  content_types: rule.contentTypes,
  max_size: rule.maxSize,
  max_longest_side: rule.longestSide ?? null,
  max_shortest_side: rule.shortestSide?.max ?? null,
  min_shortest_side: rule.shortestSide?.min ?? null,
  max_frames: rule.maxFrames ?? null,
  max_frame_rate: rule.maxFrameRate ?? null,
  min_duration_ms: rule.minDuration ?? null,
  max_duration_ms: rule.maxDuration ?? null
})

const describeMedia = (media: MediaRules) => ({
  max_files: maxFilesOf(media),
  max_alt: media.maxAlt,
  image: describeFiles(media.image),
  gif: typeof media.gif === "string" ? null : describeFiles(media.gif),
  video: describeFiles(media.video)
})

const describePlatform = (rules: Rules, platform: Platform) => {
  const own = isLive(platform) ? rules[platform] : undefined
  const shared = {
    platform,
    display_name: platformName(platform),
    // Unless its facts say otherwise, a platform's adapter can send replies, and a thread is a chain of replies.
    threads: own !== undefined && hasThreads(platform),
    settings: Object.entries<Setting>(settings[platform]).filter(isChosen).map(describeSetting)
  }
  if (!isLive(platform) || own === undefined) {
    return { ...shared, state: "in_review" as const, reason: whyInReview(platform), text: null, media: null }
  }
  return {
    ...shared,
    state: isAlwaysLive(platform) ? ("live" as const) : ("enabled" as const),
    reason: null,
    text: { limit: own.measure("").limit, unit: liveFacts[platform].textUnit },
    media: own.media.refused === undefined ? describeMedia(own.media) : null
  }
}

export const describePlatforms = (rules: Rules) => platforms.map((platform) => describePlatform(rules, platform))
