import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { maxNameLength } from "../../../domain/plain/limits.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { createKey, type KeyInput } from "../../api/keys.ts"
import { useMutation } from "../../api/query.ts"
import { Checkbox, type CheckboxProps } from "../../ui/controls/Field.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { describeUnseenRest } from "./unseenSecret.ts"

export interface KeyDialogProps {
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

interface FormProps extends KeyDialogProps {
  readonly title: string
  readonly action: string
  readonly made: "agent" | "key"
  readonly initialName?: string
  readonly rights: Omit<KeyInput, "name" | "requires_approval">
  readonly approval: Pick<CheckboxProps, "checked" | "hint" | "onChange">
  readonly children: ComponentChildren
}

export const KeyDialog = (props: FormProps) => {
  const { action, approval, children, initialName = "", made, onClose, onSecret, rights, title } = props
  const [name, setName] = useState(initialName)
  const { error, isPending, run } = useMutation(createKey, { invalidates: ["/v1/keys"] })

  const create = async () => {
    const outcome = await run({ name: name.trim(), requires_approval: approval.checked, ...rights })
    if (!outcome.ok) return
    onClose()
    onSecret(outcome.data.secret)
  }

  return (
    <FormDialog
      title={title}
      action={action}
      onSubmit={() => void create()}
      onClose={onClose}
      busy={isPending}
      disabled={name.trim() === "" || rights.scopes.length === 0}
      problem={describeUnseenRest(error, made, ["name"])}
    >
      <TextField
        label="Name"
        hint="What you recognize it by"
        error={fieldError(error, "name")}
        value={name}
        maxLength={maxNameLength}
        autofocus
        onValue={setName}
      />
      <Checkbox label="A person approves its posts" {...approval} />
      {children}
    </FormDialog>
  )
}
