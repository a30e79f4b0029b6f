import { describeCost } from "../../shared/describeCost.ts"
import type { EditorProps } from "./useEditor.ts"

/** The price that a platform charges for the post as it is. */
export const Cost = ({ editor: { result } }: EditorProps) => {
  const estimate = result?.cost_estimate
  return estimate === undefined ? null : <p class="field-note">{describeCost(estimate)}</p>
}
