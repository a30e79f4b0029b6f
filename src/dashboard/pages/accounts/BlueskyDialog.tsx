import { useState } from "preact/hooks"
import { type ApiError, describeRest, fieldError } from "../../api/errors.ts"
import { type AccountChangeJson, connectBluesky } from "../../api/integrations.ts"
import { useMutation } from "../../api/query.ts"
import { Field, Input, PasswordInput } from "../../ui/controls/Field.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { DecisionDialog } from "./DecisionDialog.tsx"

export interface BlueskyDialogProps {
  /** The handle of the account that is connected or was. */
  readonly username: string | undefined
  readonly onClose: () => void
  readonly onConnected: (username: string) => void
}

const isChange = (value: unknown): value is AccountChangeJson =>
  typeof value === "object" && value !== null && "token" in value && "replaces" in value

const readChange = (error: ApiError): AccountChangeJson | undefined => {
  const change = error.problem["change"]
  return error.code === "another_account_connected" && isChange(change) ? change : undefined
}

const fields = ["identifier", "app_password", "service"]

/** Connects a Bluesky account by an app password, and asks where it is another one than before. */
export const BlueskyDialog = ({ onClose, onConnected, username = "" }: BlueskyDialogProps) => {
  const [identifier, setIdentifier] = useState(username)
  const [password, setPassword] = useState("")
  const [service, setService] = useState("")
  const connecting = useMutation(connectBluesky)
  const [change, setChange] = useState<AccountChangeJson>()

  const connect = async () => {
    const outcome = await connecting.run({
      identifier,
      app_password: password.trim(),
      service: service.trim() === "" ? undefined : service.trim()
    })
    if (outcome.ok) onConnected(outcome.data.data.username)
    else if (outcome.error._tag === "ApiError") setChange(readChange(outcome.error))
  }

  if (change !== undefined) return <DecisionDialog change={change} onClose={onClose} onConnected={onConnected} />

  const { error, isPending } = connecting
  return (
    <FormDialog
      title="Connect Bluesky"
      action="Connect"
      onSubmit={() => void connect()}
      onClose={onClose}
      busy={isPending}
      disabled={identifier.trim() === "" || password.trim() === ""}
      problem={describeRest(error, fields)}
    >
      <Field label="Handle" hint="Such as name.bsky.social" error={fieldError(error, "identifier")}>
        {(control) => (
          <Input
            {...control}
            value={identifier}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            autofocus
            onValue={setIdentifier}
          />
        )}
      </Field>
      <Field
        label="App password"
        hint="Make one on Bluesky under Settings, Privacy and security, App passwords. It is not kept."
        error={fieldError(error, "app_password")}
      >
        {(control) => <PasswordInput {...control} value={password} autocomplete="new-password" onValue={setPassword} />}
      </Field>
      <details class="account-advanced" open={fieldError(error, "service") !== undefined}>
        <summary>The account is on another server</summary>
        <Field label="Server" hint="Its address, such as https://pds.example" error={fieldError(error, "service")}>
          {(control) => <Input {...control} type="url" value={service} onValue={setService} />}
        </Field>
      </details>
    </FormDialog>
  )
}
