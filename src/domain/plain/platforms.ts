/** All platforms that have a name in the API. Posts can be published to `livePlatforms` alone. */
export const platforms = [
  "twitter",
  "bluesky",
  "linkedin",
  "instagram",
  "youtube",
  "tiktok",
  "threads",
  "facebook"
] as const

/** The names that people know the platforms by. */
export const platformNames: Readonly<Record<(typeof platforms)[number], string>> = {
  twitter: "X",
  bluesky: "Bluesky",
  linkedin: "LinkedIn",
  instagram: "Instagram",
  youtube: "YouTube",
  tiktok: "TikTok",
  threads: "Threads",
  facebook: "Facebook"
}

/** What is said of a platform, with its name before it unless the sentence has it somewhere. */
export const withPlatform = (platformName: string, message: string): string =>
  new RegExp(`\\b${platformName}\\b`).test(message) ? message : `${platformName}: ${message}`

const list = new Intl.ListFormat("en", { type: "conjunction" })

/** The names of some platforms, in a sentence. */
export const namePlatforms = (named: ReadonlyArray<(typeof platforms)[number]>): string =>
  list.format(named.map((platform) => platformNames[platform]))

/** The platforms that posts can be published to, in the order in which they are shown. */
export const livePlatforms = ["twitter", "bluesky"] as const

export const isLive = (platform: string): platform is (typeof livePlatforms)[number] =>
  livePlatforms.some((live) => live === platform)
