import { facts, liveFacts } from "../../platforms/facts.ts"

export type Platform = keyof typeof facts
export type LivePlatform = keyof typeof liveFacts

export const isPlatform = (name: string): name is Platform => Object.hasOwn(facts, name)

/** Tells if posts can be published to a platform. */
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

const conjunction = new Intl.ListFormat("en", { type: "conjunction" })

/** Some words in a sentence, such as "A, B, and C". */
export const inSentence = (words: ReadonlyArray<string>): string => conjunction.format(words)

/** The names of some platforms, in a sentence. */
export const namePlatforms = (named: ReadonlyArray<Platform>): string => inSentence(named.map(platformName))

/** The names of the live platforms, in a sentence. */
export const liveNames = namePlatforms(livePlatforms)

/** The live platforms that show the first link of a text as a card. */
export const cardPlatforms = livePlatforms.filter((platform) => liveFacts[platform].card !== null)

/** The units in which the live platforms count a text, in a sentence. */
export const textUnits = livePlatforms.map((platform) => `${liveFacts[platform].textUnit} on ${platform}`).join(", ")
