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
  readonly draftCount: number
  readonly toggleTray: () => void
  readonly selected: SelectionState
}

const views = [
  { id: "month", label: "Month" },
  { id: "week", label: "Week" }
] as const

const group = "Calendar"

export const CalendarHeader = ({ draftCount, isTrayOpen, range, selected, show, toggleTray }: CalendarHeaderProps) => {
  const { view } = range
  const step = (by: number) => () => {
    show(view, stepFrom(range, by))
  }
  const today = () => {
    show(view, new Date())
  }
  useShortcut({ keys: "t", label: "Today", group }, today)
  useShortcut({ keys: "j", label: `Next ${view}`, group }, step(1))
  useShortcut({ keys: "k", label: `Previous ${view}`, group }, step(-1))
  useShortcut({ keys: "ArrowRight", label: `Next ${view}`, group }, step(1))
  useShortcut({ keys: "ArrowLeft", label: `Previous ${view}`, group }, step(-1))
  useShortcut({ keys: "m", label: "Month", group }, () => {
    show("month", range.date)
  })
  useShortcut({ keys: "w", label: "Week", group }, () => {
    show("week", range.date)
  })
  return (
    <header class="calendar-head">
      <h1 class="only-read">Calendar</h1>
      <h2 class="calendar-title numbers" aria-live="polite">
        {range.title}
      </h2>
      <div class="calendar-steps">
        <IconButton icon="chevronLeft" label={`Previous ${view}`} onClick={step(-1)} />
        <Button size="small" onClick={today} title={dayKey(new Date())}>
          Today
        </Button>
        <IconButton icon="chevronRight" label={`Next ${view}`} onClick={step(1)} />
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
            onClick={() => {
              selected.switchOn(!selected.isOn)
            }}
          >
            Select
          </Button>
        )}
        <Button kind="quiet" size="small" icon="pencil" aria-pressed={isTrayOpen} onClick={toggleTray}>
          {draftCount === 0 ? "Drafts" : `Drafts ${draftCount}`}
        </Button>
        <Tabs
          label="View"
          tabs={views}
          selected={view}
          onSelect={(id) => {
            show(id, range.date)
          }}
        />
      </div>
    </header>
  )
}
