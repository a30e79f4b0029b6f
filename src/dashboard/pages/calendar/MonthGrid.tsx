import { useMemo } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { nameCount } from "../../shared/actions/action.ts"
import { classes } from "../../ui/classes.ts"
import { dayKey } from "../../ui/time/day.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { AddLink } from "./AddLink.tsx"
import { type ChipActions, PostChips } from "./PostChip.tsx"
import { type CalendarRange, daysFrom, formatLongDay, formatMonthDay, formatWeekday, isPastSlot } from "./range.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"
import type { MonthWeeks } from "./useMonthWeeks.ts"
import { useWeekScroll } from "./useWeekScroll.ts"
import { weekAt } from "./weeks.ts"

export interface GridProps extends ChipActions {
  readonly range: CalendarRange
  readonly posts: CalendarPosts
  readonly openId: string | undefined
  readonly openDay: (day: Date) => void
  readonly canAdd: boolean
  readonly startMove: (post: PostJson) => void
}

/** The heights of a post, with its gap, and of a day's head. Pixels, as in chip.css and month.css. */
const chipHeight = 24
const tallChipHeight = 42
const headHeight = 32

/** Gives each post two lines if all of them fit, or if one line has no space for a word. */
const fit = (count: number, height: number, isTight: boolean) => {
  const space = height - headHeight
  const size = isTight || count * tallChipHeight <= space ? tallChipHeight : chipHeight
  const isTall = size === tallChipHeight
  if (count * size <= space) return { shown: count, isTall }
  // The last row shows the number of posts that do not fit.
  return { shown: Math.max(0, Math.floor((space - chipHeight) / size)), isTall }
}

interface DayProps extends GridProps {
  readonly day: Date
  readonly height: number
  readonly isTight: boolean
}

const MonthDay = ({ canAdd, day, height, isTight, moveByKey, open, openDay, openId, posts }: DayProps) => {
  const now = useNow()
  const key = dayKey(day)
  const all = posts.byDay.get(key) ?? []
  const { isTall, shown } = fit(all.length, height, isTight)
  const isPast = isPastSlot({ day }, now)
  const isFirst = day.getDate() === 1
  return (
    <div
      role="cell"
      class={classes("calendar-day", isPast && "calendar-past", isFirst && "calendar-first")}
      data-drop={key}
      aria-label={formatLongDay(day)}
    >
      <div class="calendar-day-head">
        <button
          type="button"
          class="calendar-day-number numbers"
          aria-current={key === dayKey(now) ? "date" : undefined}
          title={`Show ${formatLongDay(day)}`}
          onClick={() => openDay(day)}
        >
          {isFirst ? formatMonthDay(day) : day.getDate()}
        </button>
        {canAdd && <AddLink slot={{ day }} />}
      </div>
      {height > 0 && (
        <PostChips posts={all.slice(0, shown)} isTall={isTall} openId={openId} open={open} moveByKey={moveByKey} />
      )}
      {height > 0 && shown < all.length && (
        <button type="button" class="calendar-more" onClick={() => openDay(day)}>
          {shown === 0 ? nameCount(all.length) : `+${all.length - shown} more`}
        </button>
      )}
      {posts.isLoadingDay(day) && <div class="calendar-placeholder skeleton" aria-hidden="true" />}
    </div>
  )
}

interface WeekProps extends GridProps {
  readonly start: Date
  readonly height: number
  readonly isTight: boolean
}

/** Memoized, so that a week is not rendered again when other weeks scroll into view. */
const Week = (props: WeekProps) => {
  const { height, isTight, moveByKey, openId, posts, start } = props
  return useMemo(
    () => (
      <div class="calendar-row" role="row">
        {daysFrom(start, 7).map((day) => (
          <MonthDay key={dayKey(day)} {...props} day={day} />
        ))}
      </div>
    ),
    [start.getTime(), height, isTight, moveByKey, openId, posts]
  )
}

export const MonthGrid = ({ weeks, ...props }: GridProps & { readonly weeks: MonthWeeks }) => {
  const { base, jump, onSettled } = weeks
  const { body, first, height, isTight, last, scroller } = useWeekScroll(jump, onSettled)
  return (
    <div ref={scroller} class="calendar-month" role="table" aria-label={props.range.title} data-scrolls>
      <div class="calendar-weekdays" role="row">
        {daysFrom(base, 7).map((day) => (
          <div key={day.getDay()} role="columnheader">
            {formatWeekday(day)}
          </div>
        ))}
      </div>
      <div ref={body} class="calendar-weeks" role="rowgroup">
        {Array.from({ length: last - first + 1 }, (_, offset) => {
          const start = weekAt(base, first + offset)
          return <Week key={dayKey(start)} {...props} start={start} height={height} isTight={isTight} />
        })}
      </div>
    </div>
  )
}
