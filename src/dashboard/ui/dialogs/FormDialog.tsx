import { useId } from "preact/hooks"
import { Button } from "../controls/Button.tsx"
import { Form, type FormProps } from "../controls/Form.tsx"
import { Dialog, type DialogProps } from "./Dialog.tsx"

export interface FormDialogProps
  extends Pick<DialogProps, "onClose" | "size" | "title">, Pick<FormProps, "children" | "onSubmit" | "problem"> {
  readonly action: string
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly danger?: boolean
}

export const FormDialog = (props: FormDialogProps) => {
  const { action, busy = false, children, danger = false, disabled = false, onSubmit, problem, ...dialog } = props
  const id = useId()
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
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
