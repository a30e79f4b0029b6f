import { useEffect, useState } from "preact/hooks"
import { withLateStyles } from "../../shared/lateStyles.ts"
import type { OutlookMark } from "../../shared/outlook/OutlookMark.tsx"

/** Milliseconds after the posts are loaded, so that a check delays nothing that the calendar shows. */
const waitMillis = 2000

/** The mark of posts that need somebody. Its code is loaded, and the check requested, some time after the posts. */
export const useOutlookMark = (isLoaded: boolean) => {
  const [Mark, setMark] = useState<typeof OutlookMark>()
  useEffect(() => {
    if (!isLoaded || Mark !== undefined) return undefined
    const load = async () => {
      // Without the code, the calendar has no marks. The next page with a check says that the connection is lost.
      const code = await withLateStyles(import("./late/late.ts")).catch(() => undefined)
      setMark(() => code?.OutlookMark)
    }
    const timer = setTimeout(() => void load(), waitMillis)
    return () => clearTimeout(timer)
  }, [isLoaded, Mark])
  return Mark
}
