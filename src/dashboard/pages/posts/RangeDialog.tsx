import { useState } from "preact/hooks"
import { setQuery } from "../../app/router.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Field, Input } from "../../ui/Field.tsx"
import { timeZone } from "../../ui/time.ts"

export interface RangeDialogProps {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onClose: () => void
}

/** Narrows the list to days, both inclusive. */
export const RangeDialog = ({ from, onClose, to }: RangeDialogProps) => {
  const [first, setFirst] = useState(from ?? "")
  const [last, setLast] = useState(to ?? "")
  const isReversed = first !== "" && last !== "" && last < first
  return (
    <Dialog
      title="Choose days"
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="posts-range">
            Show
          </Button>
        </>
      }
    >
      <form
        id="posts-range"
        class="posts-range"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isReversed) return
          setQuery({ from: first || undefined, to: last || undefined })
          onClose()
        }}
      >
        <Field label="From">
          {(control) => (
            <Input
              {...control}
              type="date"
              value={first}
              autofocus
              onInput={(event) => {
                setFirst(event.currentTarget.value)
              }}
            />
          )}
        </Field>
        <Field
          label="To"
          hint={`Both days are included. They begin and end in ${timeZone}.`}
          error={isReversed ? "Choose a day that is not before the first." : undefined}
        >
          {(control) => (
            <Input
              {...control}
              type="date"
              value={last}
              onInput={(event) => {
                setLast(event.currentTarget.value)
              }}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
