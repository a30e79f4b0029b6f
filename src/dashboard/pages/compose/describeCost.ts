import type { ValidationResponse } from "../../../api/posts/postResponses.ts"

type Estimate = NonNullable<(typeof ValidationResponse.Encoded)["data"]["cost_estimate"]>

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 3
})

/** Such as "X charges about $0.20, because of the link". */
export const describeCost = ({ usd, with_link: links = 0 }: Estimate): string => {
  const why = links === 0 ? "" : `, because of the ${links === 1 ? "link" : "links"}`
  return `X charges about ${dollars.format(usd)}${why}`
}
