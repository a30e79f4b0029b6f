import type { Ref } from "preact"
import { useId, useState } from "preact/hooks"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { Platform } from "../../../domain/platform.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { ClockInput } from "../../ui/time/ClockInput.tsx"
import { parseClock } from "../../ui/time/clockInput.ts"
import { clockExample } from "../../ui/time/time.ts"
import { timeSettings } from "../../ui/time/zone.ts"
import { type Days, dayName, weekFrom } from "./queueWeek.ts"

interface NewTime {
  readonly time: string
  readonly platforms?: ReadonlyArray<Platform>
}

interface QueueFormProps {
  readonly days: Days
  readonly onDays: (days: Days) => void
  /** The platforms with an account. */
  readonly connected: ReadonlyArray<Platform>
  readonly isPending: boolean
  /** The days are those of the field. Resolves to the reason why nothing was added. */
  readonly onAdd: (time: NewTime) => Promise<string | undefined>
  readonly formRef: Ref<HTMLDivElement>
}

const pad = (part: number) => String(part).padStart(2, "0")

export const QueueForm = ({ connected, days, formRef, isPending, onAdd, onDays }: QueueFormProps) => {
  const id = useId()
  const [text, setText] = useState("")
  const [left, setLeft] = useState<ReadonlyArray<Platform>>([])
  const [problem, setProblem] = useState<string>()
  const { weekStartsOn } = timeSettings.get()
  const chosen = connected.filter((platform) => !left.includes(platform))
  const submit = async () => {
    const clock = parseClock(text)
    if (clock === undefined) return setProblem(`A time such as ${clockExample()}`)
    if (connected.length > 0 && chosen.length === 0) return setProblem("Choose a platform")
    const time = `${pad(clock.hour)}:${pad(clock.minute)}`
    const refused = await onAdd(left.length === 0 ? { time } : { time, platforms: chosen })
    setProblem(refused)
    if (refused === undefined) setText("")
  }
  const options = [
    ["workdays", "Every weekday"] as const,
    ["every", "Every day"] as const,
    ...weekFrom(weekStartsOn).map((day) => [day, dayName(day)] as const)
  ]
  return (
    <div ref={formRef}>
      <Form class="queue-form" onSubmit={() => void submit()}>
        <Field label="Days">
          {(control) => <SelectOne {...control} value={days} options={options} onChoose={onDays} />}
        </Field>
        <Field label="Time" error={problem}>
          {(control) => <ClockInput {...control} value={text} onValue={setText} />}
        </Field>
        {connected.length > 1 && (
          <div class="field" role="group" aria-labelledby={id}>
            <span id={id} class="field-label">
              For posts on
            </span>
            <div class="queue-platforms">
              {connected.map((platform) => (
                <Chip
                  key={platform}
                  pressed={chosen.includes(platform)}
                  onClick={() =>
                    setLeft(chosen.includes(platform) ? [...left, platform] : left.filter((each) => each !== platform))
                  }
                >
                  {platformName(platform)}
                </Chip>
              ))}
            </div>
          </div>
        )}
        <Button type="submit" kind="primary" icon="plus" busy={isPending}>
          Add
        </Button>
      </Form>
    </div>
  )
}
