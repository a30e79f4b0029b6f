import { useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { Button } from "../../ui/Button.tsx"
import { Chip } from "../../ui/Chip.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Field, Input } from "../../ui/Field.tsx"
import { addDays, timeZone } from "../../ui/time.ts"
import { useNow } from "../../ui/Time.tsx"
import { firstWords } from "./PostChip.tsx"
import { dayKey, formatWeekday, timeInSlot } from "./range.ts"

export interface MoveDialogProps {
  readonly post: PostJson
  readonly onMove: (to: Date | null) => void
  readonly onClose: () => void
}

const two = (value: number): string => String(value).padStart(2, "0")

const toField = (date: Date): string => `${dayKey(date)}T${two(date.getHours())}:${two(date.getMinutes())}`

/** The days that are offered by name, from tomorrow on. */
const offeredDays = 7

/** Gives a post another time, by keyboard or where there is nothing to drag to. */
export const MoveDialog = ({ onClose, onMove, post }: MoveDialogProps) => {
  const now = useNow()
  const { scheduled_at: at } = post
  const [value, setValue] = useState(toField(at === null ? timeInSlot({ day: addDays(now, 1) }, null) : new Date(at)))
  const [tried, setTried] = useState(false)
  const chosen = new Date(value)
  const problem = Number.isNaN(chosen.getTime())
    ? "Choose a day and a time."
    : chosen < now
      ? "This time has passed. Choose a later one."
      : undefined
  const days = Array.from({ length: offeredDays }, (_, index) => addDays(now, index + 1))
  return (
    <Dialog
      title="Move to…"
      size="small"
      onClose={onClose}
      footer={
        <>
          {post.status === "draft" && at !== null && (
            <Button
              kind="quiet"
              onClick={() => {
                onMove(null)
              }}
            >
              Remove the time
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="calendar-move">
            Move
          </Button>
        </>
      }
    >
      <form
        id="calendar-move"
        class="calendar-move"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (problem === undefined) onMove(chosen)
          else setTried(true)
        }}
      >
        <p class="secondary truncate">{firstWords(post)}</p>
        <Field
          label="Day and time"
          error={tried ? problem : undefined}
          aside={<span class="secondary small">{timeZone}</span>}
        >
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={value}
              autofocus
              onInput={(event) => {
                setValue(event.currentTarget.value)
              }}
            />
          )}
        </Field>
        <div class="calendar-move-days" role="group" aria-label="Days">
          {days.map((day) => (
            <Chip
              key={day.getDay()}
              pressed={dayKey(day) === value.slice(0, 10)}
              onClick={() => {
                setValue(toField(timeInSlot({ day }, problem === undefined ? chosen.toISOString() : at)))
              }}
            >
              {formatWeekday(day)} {day.getDate()}
            </Chip>
          ))}
        </div>
      </form>
    </Dialog>
  )
}
