import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { Button } from "../controls/Button.tsx"
import { Form } from "../controls/Form.tsx"
import { Dialog, type DialogProps } from "./Dialog.tsx"

export interface FormDialogProps {
  readonly title: string
  /** The words on the button that submits the form. */
  readonly action: string
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly busy?: boolean
  /** Whether the form is not complete yet. */
  readonly disabled?: boolean
  /** Why the form was not accepted, but for what stands beside its fields. */
  readonly problem?: string | undefined
  readonly children: ComponentChildren
  readonly danger?: boolean
  readonly size?: DialogProps["size"]
}

/** A dialog with one form, which Enter submits too. */
export const FormDialog = (props: FormDialogProps) => {
  const {
    action,
    busy = false,
    children,
    danger = false,
    disabled = false,
    onClose,
    onSubmit,
    problem,
    size,
    title
  } = props
  const id = useId()
  return (
    <Dialog
      title={title}
      size={size}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={danger ? "danger" : "primary"} type="submit" form={id} busy={busy} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      <Form id={id} onSubmit={onSubmit} problem={problem}>
        {children}
      </Form>
    </Dialog>
  )
}
