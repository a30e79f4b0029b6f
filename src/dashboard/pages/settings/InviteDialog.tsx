import { useState } from "preact/hooks"
import type { Role } from "../../../domain/people/role.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { invite } from "../../api/members.ts"
import { useMutation } from "../../api/query.ts"
import { Field } from "../../ui/controls/Field.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { roleOptions, roleTexts } from "./roles.ts"
import { SecretDialog } from "./SecretDialog.tsx"
import { describeUnseenRest } from "./unseenSecret.ts"

/** Shows a link, which this person has to send to the invited person if it was not mailed. */
export const InviteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("editor")
  const { error, isPending, run } = useMutation(() => invite(email.trim(), role), { invalidates: ["/v1/invites"] })
  const [made, setMade] = useState<{ readonly url: string; readonly mailed: boolean }>()

  const create = async () => {
    const outcome = await run(undefined)
    if (outcome.ok) setMade(outcome.data)
  }

  if (made !== undefined) {
    return (
      <SecretDialog
        title="Invitation"
        label="Link of the invitation"
        advice={
          made.mailed
            ? `The link was mailed to ${email.trim()}. It is not shown again.`
            : `Copy this link and send it to ${email.trim()}. It is not shown again.`
        }
        secret={made.url}
        onClose={onClose}
      >
        <p class="secondary">It works once, within 72 hours. Whoever has it can accept the invitation.</p>
      </SecretDialog>
    )
  }

  return (
    <FormDialog
      title="Invite somebody"
      action="Make the link"
      onSubmit={() => void create()}
      onClose={onClose}
      busy={isPending}
      disabled={email.trim() === ""}
      problem={describeUnseenRest(error, "invite", ["email"])}
    >
      <TextField
        label="Email"
        error={fieldError(error, "email")}
        type="email"
        value={email}
        autocomplete="off"
        autofocus
        onValue={setEmail}
      />
      <Field label="Role" hint={roleTexts[role]}>
        {(control) => <SelectOne {...control} value={role} options={roleOptions} onChoose={setRole} />}
      </Field>
    </FormDialog>
  )
}
