import { useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import type { SelectionState } from "../../shared/bulk/useSelection.ts"
import { countFilters, type SharedFilters } from "../../shared/filters/filters.ts"
import { SearchField } from "../../shared/filters/SearchField.tsx"
import { lazily } from "../../shared/lazily.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { classes } from "../../ui/classes.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Tabs } from "../../ui/controls/Tabs.tsx"
import { dayKey } from "../../ui/time/day.ts"
import { shownZone, timeSettings } from "../../ui/time/zone.ts"
import { useSwitch } from "../../ui/useOpen.ts"
import type { FilterDialogProps } from "./late/FilterDialog.tsx"
import type { SearchFoundProps } from "./late/SearchFound.tsx"
import { type CalendarRange, type CalendarView, stepFrom } from "./range.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"

const FilterDialog = lazily<FilterDialogProps>("The filters", async () => (await import("./late/late.ts")).FilterDialog)
const SearchFound = lazily<SearchFoundProps>("The search", async () => (await import("./late/late.ts")).SearchFound)

export interface CalendarHeaderProps {
  readonly range: CalendarRange
  readonly posts: CalendarPosts
  readonly filters: SharedFilters
  readonly show: (view: CalendarView, date: Date) => void
  readonly showPost: (post: PostJson) => void
  readonly isTrayOpen: boolean
  readonly toggleTray: () => void
  readonly selected: SelectionState
}

const views = [
  { id: "month", label: "Month" },
  { id: "week", label: "Week" },
  { id: "day", label: "Day" }
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
  // D alone moves a post.
  useShortcut({ keys: "Shift+d", label: "Day", group }, showView("day"))
  return { next, previous, today }
}

const Steps = (props: Pick<CalendarHeaderProps, "range" | "show">) => {
  const { next, previous, today } = useSteps(props)
  const { view } = props.range
  return (
    <div class="calendar-steps">
      <IconButton icon="chevronLeft" label={`Previous ${view}`} onClick={previous} />
      <Button size="small" onClick={today} title={dayKey(new Date())}>
        Today
      </Button>
      <IconButton icon="chevronRight" label={`Next ${view}`} onClick={next} />
    </div>
  )
}

const Filters = ({ filters, posts }: Pick<CalendarHeaderProps, "filters" | "posts">) => {
  const open = useSwitch()
  const count = countFilters(filters)
  return (
    <>
      <Button
        kind="quiet"
        size="small"
        icon="filter"
        class="calendar-icon-button"
        aria-label={count === 0 ? "Filters" : `Filters ${count} on`}
        aria-haspopup="dialog"
        aria-pressed={count > 0}
        onClick={open.turnOn}
      >
        Filters {count > 0 && <span class="calendar-count numbers">{count}</span>}
      </Button>
      {open.isOn && <FilterDialog filters={filters} posts={posts.all.values()} onClose={open.turnOff} />}
    </>
  )
}

const Search = ({ filters, posts, range, showPost }: CalendarHeaderProps) => {
  const [entered, setEntered] = useState<string>()
  return (
    <div class={classes("calendar-search", filters.text !== undefined && "calendar-search-on")}>
      <SearchField label="Search the calendar" text={filters.text} onEnter={setEntered} />
      {filters.text !== undefined && (
        <SearchFound
          filters={filters}
          range={range}
          posts={posts}
          show={showPost}
          isEntered={entered === filters.text}
          onShown={() => setEntered(undefined)}
        />
      )}
    </div>
  )
}

export const CalendarHeader = (props: CalendarHeaderProps) => {
  const { isTrayOpen, posts, range, selected, show, toggleTray } = props
  const { date, title, view } = range
  const drafts = posts.drafts.length
  return (
    <header class="calendar-head">
      <h1 class="only-read">Calendar</h1>
      <h2 class="calendar-title numbers" aria-live="polite">
        {title}
      </h2>
      <Steps range={range} show={show} />
      <span
        class="calendar-zone secondary small"
        title={`All times are in this time zone, ${timeSettings.get().timeZone === null ? "the browser’s" : "the one in your profile"}`}
      >
        {shownZone()}
      </span>
      <div class="calendar-head-end">
        <Search {...props} />
        <Filters {...props} />
        {selected.canSelect && (
          <Button
            kind="quiet"
            size="small"
            icon="check"
            class="calendar-icon-button"
            aria-label="Select"
            aria-pressed={selected.isOn}
            title="Select many posts; also with Ctrl and Shift, or X"
            onClick={selected.switchMode}
          >
            Select
          </Button>
        )}
        <Button
          kind="quiet"
          size="small"
          icon="pencil"
          class="calendar-icon-button"
          aria-label={drafts === 0 ? "Drafts" : `Drafts ${drafts}`}
          aria-pressed={isTrayOpen}
          onClick={toggleTray}
        >
          {/* The open tray has the number. */}
          Drafts {drafts > 0 && !isTrayOpen && <span class="calendar-count numbers">{drafts}</span>}
        </Button>
        <Tabs label="View" tabs={views} selected={view} onSelect={(id) => show(id, date)} />
      </div>
    </header>
  )
}
