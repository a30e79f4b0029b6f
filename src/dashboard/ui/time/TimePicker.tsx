import { useId, useState } from "preact/hooks"
import { Chip } from "../controls/Chip.tsx"
import { Field, FieldNote } from "../controls/Field.tsx"
import { ClockInput } from "./ClockInput.tsx"
import { parseClock } from "./clockInput.ts"
import { dayKey } from "./day.ts"
import { doubledTime } from "./doubledTime.ts"
import { clockExample, formatClock } from "./time.ts"
import { useNow } from "./Time.tsx"
import { fromTexts, quickTimes, type TimeTexts, toTexts } from "./timeInput.ts"
import { useChosenTime } from "./useChosenTime.ts"
import { chosenInstant, hasZoneRules, shownZone } from "./zone.ts"

export interface TimePickerProps {
  readonly label: string
  /** A time in the API's format; null for none. */
  readonly value: string | null
  readonly onChange: (at: string | null) => void
  readonly error?: string | undefined
  readonly isFirst?: boolean
  /** Proposes a time of a day for the quick choices. */
  readonly timeOn?: ((day: Date) => Date) | undefined
}

/** Typed text keeps its form until the person leaves the field. */
const useTexts = ({ onChange, value }: Pick<TimePickerProps, "onChange" | "value">) => {
  const [shown, setShown] = useState({ value, texts: toTexts(value) })
  const texts = shown.value === value ? shown.texts : toTexts(value)
  return {
    texts,
    edit: (changes: Partial<TimeTexts>) => {
      const next = { ...texts, ...changes }
      const at = fromTexts(next)
      setShown({ value: at, texts: next })
      onChange(at)
    },
    format: () => {
      if (value !== null) setShown({ value, texts: toTexts(value) })
    }
  }
}

const QuickTimes = ({ onChange, timeOn, value }: Pick<TimePickerProps, "onChange" | "timeOn" | "value">) => (
  <div class="time-quick" role="group" aria-label="Quick choices">
    {quickTimes(useNow(), timeOn).map(({ at, isWall, label }) => (
      <Chip
        key={label}
        pressed={value === at.toISOString()}
        onClick={() => onChange(isWall ? chosenInstant(at) : at.toISOString())}
      >
        {label}
      </Chip>
    ))}
  </div>
)

/** Says which of two is meant if the chosen wall time comes twice, and offers the other. */
const WhichTime = ({ onChange, value }: Pick<TimePickerProps, "onChange" | "value">) => {
  const both = value === null ? undefined : doubledTime(value)
  if (value === null || both === undefined) return null
  const clock = formatClock(new Date(value))
  return (
    <div class="time-quick" role="group" aria-label={`${clock} comes twice`}>
      <span class="secondary small" role="status">
        Clocks go back, so {clock} comes twice:
      </span>
      {both.map(({ at, offset }, index) => (
        <Chip key={at} pressed={Date.parse(at) === Date.parse(value)} onClick={() => onChange(at)}>
          {index === 0 ? "First" : "Second"} ({offset})
        </Chip>
      ))}
    </div>
  )
}

export const TimePicker = ({ error, isFirst = false, label, onChange, timeOn, value }: TimePickerProps) => {
  const now = useNow()
  const id = useId()
  const { edit, format, texts } = useTexts({ onChange, value })
  useChosenTime(value, onChange)
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
              onInput={(event) => edit({ day: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Time">
          {({ id: inputId }) => (
            <ClockInput
              {...control}
              id={inputId}
              value={texts.clock}
              onValue={(clock) => edit({ clock })}
              onBlur={format}
            />
          )}
        </Field>
      </div>
      {problem !== undefined && <FieldNote id={`${id}-note`} error={problem} />}
      <WhichTime value={value} onChange={onChange} />
      <QuickTimes value={value} timeOn={timeOn} onChange={onChange} />
      <p class="secondary small">
        Times are in {shownZone()}
        {!hasZoneRules(shownZone()) && ", by this browser’s rules, because the service’s can’t be loaded"}
      </p>
    </fieldset>
  )
}
