import type { Ref } from "preact"
import { Chip } from "../controls/Chip.tsx"
import { Field } from "../controls/Field.tsx"
import { useNow } from "./Time.tsx"
import { fromLocalInput, quickTimes, toLocalInput } from "./timeInput.ts"
import { shownZone } from "./zone.ts"

export interface TimePickerProps {
  readonly label: string
  /** The instant, as the API writes it; null for none. */
  readonly value: string | null
  readonly onChange: (at: string | null) => void
  readonly error?: string | undefined
  readonly inputRef?: Ref<HTMLInputElement>
}

/** A time in the shown zone, with the choices that are made most. */
export const TimePicker = ({ error, inputRef, label, onChange, value }: TimePickerProps) => {
  const now = useNow()
  return (
    <div class="time-picker">
      <Field label={label} error={error} aside={<span class="secondary small">{shownZone()}</span>}>
        {(control) => (
          <input
            {...control}
            ref={inputRef ?? null}
            class="input numbers"
            type="datetime-local"
            value={toLocalInput(value)}
            min={toLocalInput(now.toISOString())}
            onInput={(event) => {
              onChange(fromLocalInput(event.currentTarget.value))
            }}
          />
        )}
      </Field>
      <div class="time-quick" role="group" aria-label="Quick choices">
        {quickTimes(now).map(({ at, label: name }) => (
          <Chip
            key={name}
            pressed={value === at}
            onClick={() => {
              onChange(at)
            }}
          >
            {name}
          </Chip>
        ))}
      </div>
    </div>
  )
}
