import { facts, liveFacts } from "../../platforms/facts.ts"
import type { LiveFacts } from "../../platforms/Platform.ts"

export type Platform = keyof typeof facts
export type LivePlatform = keyof typeof liveFacts

export const isPlatform = (name: string): name is Platform => Object.hasOwn(facts, name)

/** Tells if a platform has an adapter. A service publishes to those of them that are enabled in it. */
export const isLive = (name: string): name is LivePlatform => Object.hasOwn(liveFacts, name)

/** All platforms that have a name in the API. Only `livePlatforms` have an adapter. */
export const platforms: ReadonlyArray<Platform> = Object.keys(facts).filter(isPlatform)

/** The platforms that have an adapter, in the order in which they are shown. */
export const livePlatforms: ReadonlyArray<LivePlatform> = Object.keys(liveFacts).filter(isLive)

/** The facts of each platform that has an adapter, with the members that only some of them have. */
const registered: Readonly<Record<LivePlatform, LiveFacts>> = liveFacts

/** Tells if a platform is live in every service. The others need the operator's own application. */
export const isAlwaysLive = (platform: LivePlatform): boolean => registered[platform].ownApplication === undefined

/** The platforms that are live in every service. Marked as pure, so that pages without them leave them out. */
export const alwaysLive = /* @__PURE__ */ livePlatforms.filter(isAlwaysLive)

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

/** The names of the platforms that are live in every service, in a sentence. */
export const liveNames = /* @__PURE__ */ namePlatforms(alwaysLive)
