import { useState } from "preact/hooks"
import type { Scope } from "../../../domain/people/apiKey.ts"
import { defaultScopes, scopes as allScopes } from "../../../domain/plain/access.ts"
import { maxNameLength } from "../../../domain/plain/limits.ts"
import { fieldError } from "../../api/errors.ts"
import { createKey } from "../../api/keys.ts"
import { useMutation } from "../../api/query.ts"
import { Checkbox, Field, Input, Select } from "../../ui/controls/Field.tsx"
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
  { days: 0, label: "Does not expire" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "A year" }
]

const daySeconds = dayMillis / 1000

export const NewKeyDialog = ({ onClose, onSecret }: NewKeyDialogProps) => {
  const [name, setName] = useState("")
  const [scopes, setScopes] = useState<ReadonlyArray<Scope>>(defaultScopes)
  const [requiresApproval, setRequiresApproval] = useState(false)
  const [days, setDays] = useState(0)
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
    if (outcome.ok) onSecret(outcome.data.secret)
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
      <Field label="Name" hint="What you recognize it by" error={fieldError(error, "name")}>
        {(control) => <Input {...control} value={name} maxLength={maxNameLength} autofocus onValue={setName} />}
      </Field>
      <Checkbox
        label="A person approves its posts"
        hint="It writes drafts. Nothing goes out until somebody approves it. For agents."
        checked={requiresApproval}
        onChange={setRequiresApproval}
      />
      <fieldset class="settings-choices">
        <legend>It may</legend>
        {offered.map((scope) => (
          <Checkbox
            key={scope}
            label={scopeNames[scope]}
            checked={chosen.includes(scope)}
            onChange={(isOn) => {
              setScopes(allScopes.filter((each) => (each === scope ? isOn : scopes.includes(each))))
            }}
          />
        ))}
      </fieldset>
      <Field label="Expires after">
        {(control) => (
          <Select
            {...control}
            value={String(days)}
            onValue={(value) => {
              setDays(Number(value))
            }}
          >
            {lifetimes.map((lifetime) => (
              <option key={lifetime.days} value={String(lifetime.days)}>
                {lifetime.label}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </FormDialog>
  )
}
