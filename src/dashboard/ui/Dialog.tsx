import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { IconButton } from "./Button.tsx"
import { classes } from "./classes.ts"

export interface DialogProps {
  readonly title: string
  /** Also by Escape and a click beside the dialog. */
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** Its buttons, the main one last. */
  readonly footer?: ComponentChildren
  readonly size?: "small" | "normal" | "large"
}

/** A modal dialog, which is open as long as it is rendered. The focus goes back to where it was. */
export const Dialog = ({ children, footer, onClose, size = "normal", title }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const latestClose = useRef(onClose)
  latestClose.current = onClose
  useEffect(() => {
    const dialog = ref.current
    const closeBeside = (event: Event) => {
      if (event.target === dialog) latestClose.current()
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
      onCancel={(event) => {
        event.preventDefault()
        onClose()
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
