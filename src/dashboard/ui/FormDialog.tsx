import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { FormError } from "./FormError.tsx"

export interface FormDialogProps {
  readonly title: string
  /** What the button says that submits the form. */
  readonly action: string
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly busy: boolean
  /** Whether the form is not complete yet. */
  readonly disabled?: boolean
  /** Why the form was not accepted, but for what stands beside its fields. */
  readonly problem: string | undefined
  /** The fields. */
  readonly children: ComponentChildren
}

/** A dialog with one form, which Enter submits too. */
export const FormDialog = (props: FormDialogProps) => {
  const { action, busy, children, disabled = false, onClose, onSubmit, problem, title } = props
  const id = useId()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} busy={busy} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {problem !== undefined && <FormError>{problem}</FormError>}
        {children}
      </form>
    </Dialog>
  )
}
