import type { ValidationJson } from "../../api/postActions.ts"
import type { EditorProps } from "./useEditor.ts"

type Estimate = NonNullable<ValidationJson["cost_estimate"]>

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

/** The price that a platform charges for the post as it is. The full explanation appears on hover. */
export const Cost = ({ editor: { result } }: EditorProps) => {
  const estimate = result?.cost_estimate
  return estimate === undefined ? null : (
    <p class="field-note" title={estimate.note}>
      {describeCost(estimate)}
    </p>
  )
}
