import { facts, liveFacts } from "../../platforms/facts.ts"
import type { LiveFacts } from "../../platforms/Platform.ts"

export type Platform = keyof typeof facts
export type LivePlatform = keyof typeof liveFacts

export const isPlatform = (name: string): name is Platform => Object.hasOwn(facts, name)

export const isLive = (name: string): name is LivePlatform => Object.hasOwn(liveFacts, name)

export const platforms: ReadonlyArray<Platform> = Object.keys(facts).filter(isPlatform)

/** In display order. */
export const livePlatforms: ReadonlyArray<LivePlatform> = Object.keys(liveFacts).filter(isLive)

const registered: Readonly<Record<LivePlatform, LiveFacts>> = liveFacts

/** Without the members of single platforms, so that code can be the same for all. */
export const factsOf = (platform: LivePlatform): LiveFacts => registered[platform]

/** False if the platform needs the operator's own application. */
export const isAlwaysLive = (platform: LivePlatform): boolean => factsOf(platform).ownApplication === undefined

/** False if the platform has no threads. */
export const hasThreads = (platform: Platform): boolean => !isLive(platform) || factsOf(platform).threads !== false

/** True if each post there has a file. */
export const needsFiles = (platform: LivePlatform): boolean => factsOf(platform).needsFiles === true

/** True if each post there has a video. */
export const needsVideo = (platform: LivePlatform): boolean => factsOf(platform).needsVideo === true

/** An account's name in sentences, such as `@acme`, or a name alone if the platform has no handles. */
export const accountName = (platform: LivePlatform, username: string): string =>
  factsOf(platform).handles === false ? username : `@${username}`

/** The end of access that a person gave, but did not use. */
export const unusedAccess = (platform: LivePlatform): string =>
  factsOf(platform).link.revokes === "none"
    ? `The service does not keep the access that you just gave. ${platformName(platform)} offers no way to end it early, so it ends by itself.`
    : "The access that you just gave ends."

/** The unit in which a platform counts texts, in a word for people. */
export const countedIn = (platform: LivePlatform): "bytes" | "characters" =>
  factsOf(platform).textUnit === "bytes" ? "bytes" : "characters"

/** False if access ends for good, so that a person has to connect the account again. */
export const renewsAccess = (platform: LivePlatform): boolean => factsOf(platform).renewsAccess !== false

/** True if access is renewed without a post too, because it would end for good. */
export const isRenewedIdle = (platform: LivePlatform): boolean => factsOf(platform).link.isRenewedIdle === true

/** Marked pure, so that bundles leave it out if unused. */
export const alwaysLive = /* @__PURE__ */ livePlatforms.filter(isAlwaysLive)

export const platformName = (platform: Platform): string => facts[platform].name

/** Adds the article by the name's sound: `an X`, `a Bluesky`. */
export const withArticle = (name: string): string => `${/^[AEIOX]/.test(name) ? "an" : "a"} ${name}`

export const withPlatform = (name: string, message: string): string =>
  new RegExp(`\\b${name}\\b`).test(message) ? message : `${name}: ${message}`

const conjunction = new Intl.ListFormat("en", { type: "conjunction" })

/** "A, B, and C". */
export const inSentence = (words: ReadonlyArray<string>): string => conjunction.format(words)

export const namePlatforms = (named: ReadonlyArray<Platform>): string => inSentence(named.map(platformName))

export const liveNames = /* @__PURE__ */ namePlatforms(alwaysLive)
