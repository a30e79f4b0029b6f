import twitterText from "twitter-text"
import { counted } from "../../../domain/counted.ts"
import type { CostEstimate } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"

/** X's prices in thousandths of a US dollar: docs.x.com, "Pricing", as of November 2026. */
const prices = { asOf: "November 2026", post: 15, postWithLink: 200 } as const

const inDollars = (thousandths: number): string => `$${(thousandths / 1000).toFixed(3)}`

/** Also asks `findEntities`, which knows top-level domains that twitter-text does not. */
const hasLink = (text: string): boolean =>
  twitterText.extractUrls(text).length > 0 || findEntities(text).some(({ feature }) => feature._tag === "Link")

/** Does not count files. */
export const estimateCost = (texts: ReadonlyArray<string>): CostEstimate => {
  const withLink = texts.filter(hasLink).length
  const thousandths = withLink * prices.postWithLink + (texts.length - withLink) * prices.post
  const links = withLink === 0 ? "" : texts.length === 1 ? " with a link" : `, ${withLink} of them with a link`
  return {
    usd: thousandths / 1000,
    note: `${counted(texts.length, "post")} on X${links}; X charges ${inDollars(prices.post)} a post and ${inDollars(prices.postWithLink)} for one with a link (${prices.asOf})`
  }
}
