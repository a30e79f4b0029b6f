import { facts, liveFacts } from "../../platforms/facts.ts"

export type Platform = keyof typeof facts
export type LivePlatform = keyof typeof liveFacts

export const isPlatform = (name: string): name is Platform => Object.hasOwn(facts, name)

/** Whether posts can be published to a platform. */
export const isLive = (name: string): name is LivePlatform => Object.hasOwn(liveFacts, name)

/** All platforms that have a name in the API. Posts can be published to `livePlatforms` alone. */
export const platforms: ReadonlyArray<Platform> = Object.keys(facts).filter(isPlatform)

/** The platforms that posts can be published to, in the order in which they are shown. */
export const livePlatforms: ReadonlyArray<LivePlatform> = Object.keys(liveFacts).filter(isLive)

/** The name that people know a platform by. */
export const platformName = (platform: Platform): string => facts[platform].name

/** `an X` and `a Bluesky`, before another word. The article goes by the sound. */
export const withArticle = (name: string): string => `${/^[AEIOX]/.test(name) ? "an" : "a"} ${name}`

/** What is said of a platform, with its name before it unless the sentence has it somewhere. */
export const withPlatform = (name: string, message: string): string =>
  new RegExp(`\\b${name}\\b`).test(message) ? message : `${name}: ${message}`

const list = new Intl.ListFormat("en", { type: "conjunction" })

/** The names of some platforms, in a sentence. */
export const namePlatforms = (named: ReadonlyArray<Platform>): string => list.format(named.map(platformName))
