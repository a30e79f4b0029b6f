import { useEffect, useState } from "preact/hooks"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { withLateStyles } from "../lateStyles.ts"
import type { BulkBar, BulkBarProps } from "./BulkBar.tsx"

let loaded: typeof BulkBar | undefined

export const LazyBulkBar = (props: BulkBarProps) => {
  const [Bar, setBar] = useState(() => loaded)
  const { isOn, posts } = props.selected
  const isNeeded = Bar === undefined && (isOn || posts.size > 0)
  useEffect(() => {
    if (!isNeeded) return
    const load = async () => {
      try {
        const code = await withLateStyles(import("./BulkBar.tsx"))
        loaded = code.BulkBar
        setBar(() => code.BulkBar)
      } catch {
        toast("The actions for selected posts couldn’t be loaded. Check the connection, and reload the page.", {
          tone: "error"
        })
      }
    }
    void load()
  }, [isNeeded])
  return Bar === undefined ? null : <Bar {...props} />
}
