import { Schema } from "effect"
import { facts } from "../platforms/facts.ts"
import {
  alwaysLive,
  inSentence,
  isAlwaysLive,
  isLive,
  isPlatform,
  livePlatforms,
  platforms
} from "./plain/platforms.ts"
import * as sample from "./samples.ts"

// `title` names the type in the API reference. An identifier would make error messages say `Expected Platform` instead
// of listing the values.
export const Platform = Schema.Literals(platforms).annotate({
  title: "Platform",
  description: `A platform. Publishing is enabled for ${inSentence(alwaysLive)}; the operator of a service may enable others. \`GET /v1/platforms\` tells which.`,
  examples: [sample.platform]
})
export type Platform = typeof Platform.Type

export const Platforms = Schema.Array(Platform).check(Schema.isMinLength(1), Schema.isUnique())

export const LivePlatform = Schema.Literals(livePlatforms).annotate({
  title: "LivePlatform",
  description: "A platform that can be enabled for publishing.",
  examples: [sample.otherPlatform]
})
export type LivePlatform = typeof LivePlatform.Type

export const findMeantPlatform = (name: string): Platform | undefined => {
  const plain = name.trim().toLowerCase()
  const meant = isPlatform(plain)
    ? plain
    : platforms.find((platform) => facts[platform].aliases.some((alias) => alias === plain))
  return meant === name ? undefined : meant
}

export const whyInReview = (platform: Platform): string =>
  `${platform} is still in platform review and can't be connected ${
    isLive(platform) && !isAlwaysLive(platform) ? "until the service's operator enables it" : "yet"
  }`

export const whyNoAccount = (platform: Platform): string => `${platform} is not connected in this workspace`
