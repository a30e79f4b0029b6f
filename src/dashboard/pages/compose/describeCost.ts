import type { ValidationResponse } from "../../../api/posts/postResponses.ts"

type Estimate = NonNullable<(typeof ValidationResponse.Encoded)["data"]["cost_estimate"]>

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 3
})

/** Such as "About $0.20: 1 post on X with a link; X charges …". */
export const describeCost = ({ note, usd }: Estimate): string => `About ${dollars.format(usd)}: ${note}`
