import { Context } from "effect"
import type { Rules } from "../domain/posts/platformRules.ts"
import { blueskyRules } from "./bluesky/rules/rules.ts"
import { twitterRules } from "./twitter/rules/rules.ts"
import type { TwitterAccess } from "./twitter/facts.ts"

/** The rules of the live platforms. Those of X depend on the operator's setting `TWITTER_ACCESS`. */
export const makeRules = (twitterAccess: TwitterAccess): Rules => ({
  twitter: twitterRules(twitterAccess),
  bluesky: blueskyRules
})

/** The rules of the platforms for this service. */
export const CurrentRules = Context.Reference<Rules>("social-publisher/platforms/CurrentRules", {
  defaultValue: () => makeRules("self-serve")
})
