import { lazily } from "../lazily.tsx"
import type { BulkBarProps } from "./BulkBar.tsx"

const Bar = lazily<BulkBarProps>("The actions for selected posts", async () => (await import("./BulkBar.tsx")).BulkBar)

/** True from the first selected post on, because the bar also shows runs, which outlive the selection. */
let isNeeded = false

export const LazyBulkBar = (props: BulkBarProps) => {
  const { isOn, posts } = props.selected
  isNeeded ||= isOn || posts.size > 0
  return isNeeded ? <Bar {...props} /> : null
}
