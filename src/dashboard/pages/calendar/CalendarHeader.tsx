import type { PostJson } from "../../api/posts.ts"
import type { SelectionState } from "../../shared/bulk/useSelection.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Tabs } from "../../ui/controls/Tabs.tsx"
import { dayKey } from "../../ui/time/day.ts"
import { shownZone, timeSettings } from "../../ui/time/zone.ts"
import { type CalendarRange, type CalendarView, stepFrom } from "./range.ts"

export interface CalendarHeaderProps {
  readonly range: CalendarRange
  readonly show: (view: CalendarView, date: Date) => void
  readonly isTrayOpen: boolean
  readonly drafts: ReadonlyArray<PostJson>
  readonly toggleTray: () => void
  readonly selected: SelectionState
}

const views = [
  { id: "month", label: "Month" },
  { id: "week", label: "Week" }
] as const

const group = "Calendar"

const useSteps = ({ range, show }: Pick<CalendarHeaderProps, "range" | "show">) => {
  const { date, view } = range
  const step = (by: number) => () => show(view, stepFrom(range, by))
  const showView = (next: CalendarView) => () => show(next, date)
  const today = () => show(view, new Date())
  const next = step(1)
  const previous = step(-1)
  useShortcut({ keys: "t", label: "Today", group }, today)
  useShortcut({ keys: "j", label: `Next ${view}`, group }, next)
  useShortcut({ keys: "k", label: `Previous ${view}`, group }, previous)
  useShortcut({ keys: "ArrowRight", label: `Next ${view}`, group }, next)
  useShortcut({ keys: "ArrowLeft", label: `Previous ${view}`, group }, previous)
  useShortcut({ keys: "m", label: "Month", group }, showView("month"))
  useShortcut({ keys: "w", label: "Week", group }, showView("week"))
  return { next, previous, today }
}

export const CalendarHeader = ({ drafts, isTrayOpen, range, selected, show, toggleTray }: CalendarHeaderProps) => {
  const { date, title, view } = range
  const { next, previous, today } = useSteps({ range, show })
  return (
    <header class="calendar-head">
      <h1 class="only-read">Calendar</h1>
      <h2 class="calendar-title numbers" aria-live="polite">
        {title}
      </h2>
      <div class="calendar-steps">
        <IconButton icon="chevronLeft" label={`Previous ${view}`} onClick={previous} />
        <Button size="small" onClick={today} title={dayKey(new Date())}>
          Today
        </Button>
        <IconButton icon="chevronRight" label={`Next ${view}`} onClick={next} />
      </div>
      <span
        class="calendar-zone secondary small"
        title={`All times are in this time zone, ${timeSettings.get().timeZone === null ? "the browser’s" : "the one in your profile"}`}
      >
        {shownZone()}
      </span>
      <div class="calendar-head-end">
        {selected.canSelect && (
          <Button
            kind="quiet"
            size="small"
            icon="check"
            class="calendar-select"
            aria-label="Select"
            aria-pressed={selected.isOn}
            title="Select many posts; also with Ctrl and Shift, or X"
            onClick={selected.switchMode}
          >
            Select
          </Button>
        )}
        <Button kind="quiet" size="small" icon="pencil" aria-pressed={isTrayOpen} onClick={toggleTray}>
          {drafts.length === 0 ? "Drafts" : `Drafts ${drafts.length}`}
        </Button>
        <Tabs label="View" tabs={views} selected={view} onSelect={(id) => show(id, date)} />
      </div>
    </header>
  )
}
