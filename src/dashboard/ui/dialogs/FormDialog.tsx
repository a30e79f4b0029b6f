import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { Button } from "../controls/Button.tsx"
import { Form } from "../controls/Form.tsx"
import { Dialog, type DialogProps } from "./Dialog.tsx"

export interface FormDialogProps {
  readonly title: string
  readonly action: string
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly busy?: boolean
  readonly disabled?: boolean
  /** Excludes errors that fields show. */
  readonly problem?: string | undefined
  readonly children: ComponentChildren
  readonly danger?: boolean
  readonly size?: DialogProps["size"]
}

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
