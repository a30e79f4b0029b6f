import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { classes } from "../classes.ts"
import { IconButton } from "../controls/Button.tsx"

export interface DialogProps {
  readonly title: string
  /** Escape and a click beside the dialog close it too, unless something was typed in it, or `closesByButtons`. */
  readonly onClose: () => void
  /** Whether it has what is lost when it is closed by accident. */
  readonly closesByButtons?: boolean
  readonly children: ComponentChildren
  /** The dialog's buttons, the main one last. */
  readonly footer?: ComponentChildren
  readonly size?: "small" | "normal" | "large" | undefined
}

/** A modal dialog, which is open as long as it is rendered. The focus goes back to where it was. */
export const Dialog = ({ children, closesByButtons = false, footer, onClose, size = "normal", title }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isChanged = useRef(false)
  const leave = () => {
    if (!closesByButtons && !isChanged.current) onClose()
  }
  const latestLeave = useRef(leave)
  latestLeave.current = leave
  // A plain effect runs after the next frame: keys that are pressed until then would go to the page behind the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current
    const closeBeside = (event: Event) => {
      if (event.target === dialog) latestLeave.current()
    }
    dialog?.showModal()
    dialog?.addEventListener("mousedown", closeBeside)
    return () => {
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
      // Browsers close it at the second Escape in a row, whatever becomes of their own event.
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
