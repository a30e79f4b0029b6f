import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { classes } from "../classes.ts"
import { IconButton } from "../controls/Button.tsx"
import { addOpenDialog } from "./openDialogs.ts"

export interface DialogProps {
  readonly title: string
  /**
   * Called also for Escape, Back and a click outside, unless something was typed in the dialog or `closesByButtons` is
   * set.
   */
  readonly onClose: () => void
  /** True if closing the dialog by accident would lose something. */
  readonly closesByButtons?: boolean
  readonly children: ComponentChildren
  /** The primary button comes last. */
  readonly footer?: ComponentChildren
  /** True if the address says that the dialog is open. Back then closes it by itself. */
  readonly hasAddress?: boolean
  readonly size?: "small" | "normal" | "large" | undefined
}

/** Open while it is rendered. Afterwards the focus returns to its earlier place. */
export const Dialog = (props: DialogProps) => {
  const { children, closesByButtons = false, footer, hasAddress = false, onClose, size = "normal", title } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isChanged = useRef(false)
  const leave = (): boolean => {
    const mayLeave = !closesByButtons && !isChanged.current
    if (mayLeave) onClose()
    return mayLeave
  }
  const latestLeave = useRef(leave)
  latestLeave.current = leave
  // `useEffect` runs after the next frame. A key pressed before that would go to the page behind the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current
    const closeBeside = (event: Event) => {
      if (event.target === dialog) latestLeave.current()
    }
    dialog?.showModal()
    dialog?.addEventListener("mousedown", closeBeside)
    const forget = hasAddress ? undefined : addOpenDialog(() => latestLeave.current())
    return () => {
      forget?.()
      dialog?.removeEventListener("mousedown", closeBeside)
      dialog?.close()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={classes("dialog", `dialog-${size}`)}
      aria-labelledby={id}
      onInput={() => {
        isChanged.current = true
      }}
      // Browsers close a dialog at the second Escape in a row, even if `cancel` is prevented.
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return
        event.preventDefault()
        event.stopPropagation()
        leave()
      }}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id} class="dialog-title">
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  )
}
