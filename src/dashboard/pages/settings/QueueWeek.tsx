import { useId } from "preact/hooks"
import { namePlatforms } from "../../../domain/plain/platforms.ts"
import type { Weekday } from "../../../domain/plain/queue.ts"
import type { QueueEntryJson } from "../../api/queue.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { formatTimeOfDay } from "../../ui/time/time.ts"
import { timeSettings } from "../../ui/time/zone.ts"
import { dayName, timesOf, weekFrom } from "./queueWeek.ts"

export const formatEntry = ({ time }: Pick<QueueEntryJson, "time">): string => {
  const [hour = 0, minute = 0] = time.split(":").map(Number)
  return formatTimeOfDay(hour, minute)
}

interface EntryActions {
  /** Absent if the person may not change the queue. */
  readonly onRemove?: ((entry: QueueEntryJson) => void) | undefined
  readonly onAddOn?: ((day: Weekday) => void) | undefined
}

const Entry = ({ entry, onRemove }: { readonly entry: QueueEntryJson } & Pick<EntryActions, "onRemove">) => {
  const { platforms = [], weekday } = entry
  const shown = formatEntry(entry)
  return (
    <li class="queue-entry">
      <span class="numbers">{shown}</span>
      {platforms.length > 0 && (
        <span class="secondary" title={`Only for posts on ${namePlatforms(platforms)}`}>
          {platforms.map((platform) => (
            <PlatformMark key={platform} platform={platform} size={12} />
          ))}
        </span>
      )}
      {onRemove !== undefined && (
        <IconButton icon="close" label={`Remove ${dayName(weekday)} ${shown}`} onClick={() => onRemove(entry)} />
      )}
    </li>
  )
}

interface DayProps extends EntryActions {
  readonly day: Weekday
  readonly entries: ReadonlyArray<QueueEntryJson>
}

const Day = ({ day, entries, onAddOn, onRemove }: DayProps) => {
  const id = useId()
  const times = timesOf(entries, day)
  return (
    <section class="field queue-day" aria-labelledby={id}>
      <div class="field-head">
        <h2 id={id} class="field-label">
          {dayName(day)}
        </h2>
        {onAddOn !== undefined && (
          <IconButton icon="plus" label={`Add a time on ${dayName(day)}`} onClick={() => onAddOn(day)} />
        )}
      </div>
      {times.length > 0 && (
        <ul class="field" aria-labelledby={id}>
          {times.map((entry) => (
            <Entry key={entry.time} entry={entry} onRemove={onRemove} />
          ))}
        </ul>
      )}
    </section>
  )
}

interface QueueWeekProps extends EntryActions {
  readonly entries: ReadonlyArray<QueueEntryJson>
}

export const QueueWeek = (props: QueueWeekProps) => {
  const { weekStartsOn } = timeSettings.get()
  return (
    <div class="settings-list queue-week" role="group" aria-label="The week">
      {weekFrom(weekStartsOn).map((day) => (
        <Day key={day} day={day} {...props} />
      ))}
    </div>
  )
}
