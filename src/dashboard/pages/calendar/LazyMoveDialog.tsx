import { useEffect, useState } from "preact/hooks"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import type { MoveDialog, MoveDialogProps } from "./MoveDialog.tsx"

let loaded: typeof MoveDialog | undefined

/** The dialog's code is loaded when it is first opened, because the calendar seldom needs it. */
export const LazyMoveDialog = (props: MoveDialogProps) => {
  const [Loaded, setLoaded] = useState(() => loaded)
  const { onClose } = props
  useEffect(() => {
    if (loaded !== undefined) return
    const load = async () => {
      try {
        const code = await import("./MoveDialog.tsx")
        loaded = code.MoveDialog
        setLoaded(() => code.MoveDialog)
      } catch {
        onClose()
        toast("The choice of a time couldn’t be loaded. Check the connection, and try again.", { tone: "error" })
      }
    }
    void load()
  }, [])
  return Loaded === undefined ? null : <Loaded {...props} />
}
