import { useId, useState } from "preact/hooks"
import { Chip } from "../controls/Chip.tsx"
import { Field } from "../controls/Field.tsx"
import { Icon } from "../Icon.tsx"
import { ClockInput } from "./ClockInput.tsx"
import { parseClock } from "./clockInput.ts"
import { dayKey } from "./day.ts"
import { clockExample } from "./time.ts"
import { useNow } from "./Time.tsx"
import { fromTexts, quickTimes, toTexts } from "./timeInput.ts"
import { shownZone } from "./zone.ts"

export interface TimePickerProps {
  readonly label: string
  /** In the API's format; null for none. */
  readonly value: string | null
  readonly onChange: (at: string | null) => void
  readonly error?: string | undefined
  readonly isFirst?: boolean
}

export const TimePicker = ({ error, isFirst = false, label, onChange, value }: TimePickerProps) => {
  const now = useNow()
  const id = useId()
  const [shown, setShown] = useState({ value, texts: toTexts(value) })
  // Typed text is not reformatted.
  const texts = shown.value === value ? shown.texts : toTexts(value)
  const edit = (changes: Partial<typeof texts>) => {
    const next = { ...texts, ...changes }
    const at = fromTexts(next)
    setShown({ value: at, texts: next })
    onChange(at)
  }
  const isUnread = texts.clock.trim() !== "" && parseClock(texts.clock) === undefined
  const problem = isUnread ? `A time such as ${clockExample()}` : error
  const control = {
    "aria-describedby": problem === undefined ? undefined : `${id}-note`,
    "aria-invalid": problem !== undefined
  }
  return (
    <fieldset class="time-picker">
      <legend class="only-read">{label}</legend>
      <div class="time-fields">
        <Field label="Day">
          {({ id: inputId }) => (
            <input
              {...control}
              id={inputId}
              class="input numbers"
              type="date"
              autofocus={isFirst}
              value={texts.day}
              min={dayKey(now)}
              onInput={(event) => {
                edit({ day: event.currentTarget.value })
              }}
            />
          )}
        </Field>
        <Field label="Time">
          {({ id: inputId }) => (
            <ClockInput
              {...control}
              id={inputId}
              value={texts.clock}
              onValue={(clock) => {
                edit({ clock })
              }}
              onBlur={() => {
                if (value !== null) setShown({ value, texts: toTexts(value) })
              }}
            />
          )}
        </Field>
      </div>
      {problem !== undefined && (
        <p id={`${id}-note`} class="field-note field-error">
          <Icon name="warning" size={12} />
          <span>{problem}</span>
        </p>
      )}
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
      <p class="secondary small">Times are in {shownZone()}</p>
    </fieldset>
  )
}
