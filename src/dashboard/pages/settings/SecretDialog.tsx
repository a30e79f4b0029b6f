import type { ComponentChildren } from "preact"
import { Button } from "../../ui/controls/Button.tsx"
import { Copyable } from "../../ui/controls/Copyable.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"

export interface SecretDialogProps {
  readonly title: string
  /** Such as `API key`. */
  readonly label: string
  readonly secret: string
  readonly advice?: string
  readonly children?: ComponentChildren
  readonly onClose: () => void
}

/** The service sends the secret only once. */
export const SecretDialog = ({
  advice = "Copy it to where it is used. It is not shown again.",
  children,
  label,
  onClose,
  secret,
  title
}: SecretDialogProps) => (
  <Dialog
    title={title}
    closesByButtons
    onClose={onClose}
    footer={
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    }
  >
    <div class="settings-secret">
      <p>{advice}</p>
      <Copyable label={label} text={secret} />
      {children}
    </div>
  </Dialog>
)
