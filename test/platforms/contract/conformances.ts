import type { LivePlatform } from "../../../src/domain/platform.ts"
import { blueskyConformance } from "../bluesky/conformance.ts"
import { facebookConformance, pageVideoConformance } from "../facebook/conformance.ts"
import { instagramConformance, instagramPageConformance } from "../instagram/conformance.ts"
import { linkedinConformance, linkedinPageConformance } from "../linkedin/conformance.ts"
import { pondConformance } from "../pond/conformance.ts"
import { twitterConformance } from "../twitter/conformance.ts"
import { threadsConformance } from "../threads/conformance.ts"
import { youtubeConformance } from "../youtube/conformance.ts"
import { tiktokConformance } from "../tiktok/conformance.ts"
import type { Conformance } from "./conformance.ts"

const live: Readonly<Record<LivePlatform, Conformance>> = {
  twitter: twitterConformance,
  bluesky: blueskyConformance,
  linkedin: linkedinConformance,
  instagram: instagramConformance,
  youtube: youtubeConformance,
  tiktok: tiktokConformance,
  threads: threadsConformance,
  facebook: facebookConformance
}

/** All platforms that must pass the conformance suite, including the platform that exists only in tests. */
const conformances: ReadonlyArray<Conformance> = [
  ...Object.values(live),
  linkedinPageConformance,
  instagramPageConformance,
  pageVideoConformance,
  pondConformance
]

/** The platforms whose answers are a stranger's. Answers of one format can't be told apart. */
export const othersThan = ({ facts, format }: Conformance) =>
  conformances.filter((other) => other.facts !== facts && (format === undefined || other.format !== format))

/** The names of what is published in another way than the platform's usual posts. */
const others = new Map([
  [linkedinPageConformance, "a page of LinkedIn"],
  [instagramPageConformance, "Instagram through Facebook Login"],
  [pageVideoConformance, "Facebook with a video"]
])

/** The platforms by name. */
export const named = conformances.map((platform) => ({
  name: others.get(platform) ?? platform.facts.name,
  platform
}))

/** The kinds of posts of all platforms. */
export const kinds = named.flatMap(({ name, platform }) =>
  Object.entries(platform.posts).map(([kind, more]) => ({ name, kind, platform, more }))
)
