import type { ComponentType } from "preact"
import { useLayoutEffect, useState } from "preact/hooks"
import { toast } from "../ui/dialogs/Toasts.tsx"
import { withLateStyles } from "./lateStyles.ts"

/**
 * A component whose code and styles are loaded when it is first shown. Until then it shows nothing.
 *
 * @param what Names it in the message of a failed load, such as `The dialog`.
 */
export const lazily = <Props extends object>(what: string, load: () => Promise<ComponentType<Props>>) => {
  let loaded: ComponentType<Props> | undefined
  const LazyComponent = (props: Props) => {
    const [View, setView] = useState(() => loaded)
    const isMissing = View === undefined
    useLayoutEffect(() => {
      if (!isMissing) return
      const show = async () => {
        try {
          const code = await withLateStyles(load())
          loaded = code
          setView(() => code)
        } catch {
          toast(`${what} couldn’t be loaded. Check the connection, and reload the page.`, { tone: "error" })
        }
      }
      void show()
    }, [isMissing])
    return View === undefined ? null : <View {...props} />
  }
  return LazyComponent
}
