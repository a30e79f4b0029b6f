import { useState } from "preact/hooks"
import type { Scope } from "../../../domain/people/apiKey.ts"
import { defaultScopes, scopes as allScopes } from "../../../domain/plain/access.ts"
import { maxNameLength } from "../../../domain/plain/limits.ts"
import { fieldError } from "../../api/errors.ts"
import { createKey } from "../../api/keys.ts"
import { useMutation } from "../../api/query.ts"
import { Checkbox, Field } from "../../ui/controls/Field.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { dayMillis } from "../../ui/time/time.ts"
import { needsNoApproval, scopeNames } from "./scopes.ts"
import { describeUnseenRest } from "./unseenSecret.ts"

export interface NewKeyDialogProps {
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

/** In days; 0 for a key that does not expire. */
const lifetimes = [
  [0, "Does not expire"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "A year"]
] as const

const daySeconds = dayMillis / 1000

interface ScopesProps {
  readonly offered: ReadonlyArray<Scope>
  readonly chosen: ReadonlyArray<Scope>
  readonly onChange: (scope: Scope, isOn: boolean) => void
}

const Scopes = ({ chosen, offered, onChange }: ScopesProps) => (
  <fieldset class="settings-choices">
    <legend>It may</legend>
    {offered.map((scope) => (
      <Checkbox
        key={scope}
        label={scopeNames[scope]}
        checked={chosen.includes(scope)}
        onChange={(isOn) => onChange(scope, isOn)}
      />
    ))}
  </fieldset>
)

export const NewKeyDialog = ({ onClose, onSecret }: NewKeyDialogProps) => {
  const [name, setName] = useState("")
  const [scopes, setScopes] = useState<ReadonlyArray<Scope>>(defaultScopes)
  const [requiresApproval, setRequiresApproval] = useState(false)
  const [days, setDays] = useState<number>(0)
  const { error, isPending, run } = useMutation(createKey, { invalidates: ["/v1/keys"] })
  const offered = requiresApproval ? defaultScopes.filter((scope) => !needsNoApproval(scope)) : allScopes
  const chosen = offered.filter((scope) => scopes.includes(scope))

  const create = async () => {
    const outcome = await run({
      name: name.trim(),
      scopes: chosen,
      requires_approval: requiresApproval,
      expires_in: days === 0 ? null : days * daySeconds
    })
    if (!outcome.ok) return
    onClose()
    onSecret(outcome.data.secret)
  }

  return (
    <FormDialog
      title="New API key"
      action="Create"
      onSubmit={() => void create()}
      onClose={onClose}
      busy={isPending}
      disabled={name.trim() === "" || chosen.length === 0}
      problem={describeUnseenRest(error, "key", ["name"])}
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
      <Checkbox
        label="A person approves its posts"
        hint="It writes drafts. Nothing goes out until somebody approves it. For agents."
        checked={requiresApproval}
        onChange={setRequiresApproval}
      />
      <Scopes
        offered={offered}
        chosen={chosen}
        onChange={(scope, isOn) =>
          setScopes(allScopes.filter((each) => (each === scope ? isOn : scopes.includes(each))))
        }
      />
      <Field label="Expires after">
        {(control) => <SelectOne {...control} value={days} options={lifetimes} onChoose={setDays} />}
      </Field>
    </FormDialog>
  )
}
