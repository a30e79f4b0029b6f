import { useState } from "preact/hooks"
import type { Scope } from "../../../domain/people/apiKey.ts"
import { defaultScopes, scopes as allScopes } from "../../../domain/plain/access.ts"
import { Checkbox, Field } from "../../ui/controls/Field.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { dayMillis } from "../../ui/time/time.ts"
import { KeyDialog, type KeyDialogProps } from "./KeyDialog.tsx"
import { needsNoApproval, scopeNames } from "./scopes.ts"

/** Days; 0 for a key that does not expire. */
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

export const NewKeyDialog = (props: KeyDialogProps) => {
  const [scopes, setScopes] = useState<ReadonlyArray<Scope>>(defaultScopes)
  const [requiresApproval, setRequiresApproval] = useState(false)
  const [days, setDays] = useState<number>(0)
  const offered = requiresApproval ? defaultScopes.filter((scope) => !needsNoApproval(scope)) : allScopes
  const chosen = offered.filter((scope) => scopes.includes(scope))
  return (
    <KeyDialog
      {...props}
      title="New API key"
      action="Create"
      made="key"
      rights={{ scopes: chosen, expires_in: days === 0 ? null : days * daySeconds }}
      approval={{
        hint: "It writes drafts. Nothing goes out until somebody approves it. For agents.",
        checked: requiresApproval,
        onChange: setRequiresApproval
      }}
    >
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
    </KeyDialog>
  )
}
