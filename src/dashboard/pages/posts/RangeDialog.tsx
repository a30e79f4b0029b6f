import { useState } from "preact/hooks"
import { setQuery } from "../../shared/router.tsx"
import { Field, Input } from "../../ui/controls/Field.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { shownZone } from "../../ui/time/zone.ts"

export interface RangeDialogProps {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onClose: () => void
}

export const RangeDialog = ({ from, onClose, to }: RangeDialogProps) => {
  const [first, setFirst] = useState(from ?? "")
  const [last, setLast] = useState(to ?? "")
  const isReversed = first !== "" && last !== "" && last < first
  return (
    <FormDialog
      title="Choose days"
      action="Show"
      size="small"
      onClose={onClose}
      onSubmit={() => {
        if (isReversed) return
        setQuery({ from: first || undefined, to: last || undefined }, { replace: false })
        onClose()
      }}
    >
      <Field label="From">
        {(control) => <Input {...control} type="date" value={first} autofocus onValue={setFirst} />}
      </Field>
      <Field
        label="To"
        hint={`Both days are included. They begin and end in ${shownZone()}.`}
        error={isReversed ? "Choose a day that is not before the first." : undefined}
      >
        {(control) => <Input {...control} type="date" value={last} onValue={setLast} />}
      </Field>
    </FormDialog>
  )
}
