import { useState } from "preact/hooks"
import type { Role } from "../../../domain/role.ts"
import { describeFailure, type Failure, fieldError } from "../../api/errors.ts"
import { invite } from "../../api/members.ts"
import { invalidate } from "../../api/query.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Field, Input, Select } from "../../ui/Field.tsx"
import { FormError } from "../../ui/FormError.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { isRole, roleNames, roles, roleTexts } from "../../app/roles.ts"

/** Makes a link for a person, which whoever invites them sends. */
export const InviteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("editor")
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<Failure>()
  const [url, setUrl] = useState<string>()

  const create = async () => {
    setPending(true)
    setError(undefined)
    const outcome = await invite(email.trim(), role)
    setPending(false)
    invalidate("/v1/invites")
    if (outcome.ok) setUrl(outcome.data.url)
    else setError(outcome.error)
  }

  if (url !== undefined) {
    return (
      <SecretDialog
        title="Invitation"
        label="Link of the invitation"
        advice={`Copy this link and send it to ${email.trim()}. It is not shown again.`}
        secret={url}
        onClose={onClose}
      >
        <p class="secondary">It works once, within 72 hours. Whoever has it can accept the invitation.</p>
      </SecretDialog>
    )
  }

  return (
    <Dialog
      title="Invite somebody"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="invite" busy={isPending} disabled={email.trim() === ""}>
            Make the link
          </Button>
        </>
      }
    >
      <form
        id="invite"
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        {error !== undefined && fieldError(error, "email") === undefined && (
          <FormError>{describeFailure(error)}</FormError>
        )}
        <Field label="Email" error={fieldError(error, "email")}>
          {(control) => (
            <Input
              {...control}
              type="email"
              value={email}
              autocomplete="off"
              autofocus
              onInput={(event) => {
                setEmail(event.currentTarget.value)
              }}
            />
          )}
        </Field>
        <Field label="Role" hint={roleTexts[role]}>
          {(control) => (
            <Select
              {...control}
              value={role}
              onChange={(event) => {
                const chosen = event.currentTarget.value
                if (isRole(chosen)) setRole(chosen)
              }}
            >
              {roles.map((each) => (
                <option key={each} value={each}>
                  {roleNames[each]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </form>
    </Dialog>
  )
}
