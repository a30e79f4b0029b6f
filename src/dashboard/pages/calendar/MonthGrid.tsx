import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { nameCount } from "../../shared/actions/action.ts"
import { classes } from "../../ui/classes.ts"
import { dayKey } from "../../ui/time/day.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { useMedia } from "../../ui/useMedia.ts"
import { AddLink } from "./AddLink.tsx"
import { fitDay } from "./monthRows.ts"
import { MorePosts } from "./MorePosts.tsx"
import { type ChipActions, PostChips } from "./PostChip.tsx"
import {
  type CalendarRange,
  dayInMonth,
  daysFrom,
  formatLongDay,
  formatMonthDay,
  formatWeekday,
  isPastSlot
} from "./range.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"
import type { MonthWeeks } from "./useMonthWeeks.ts"
import { useRoving } from "./useRoving.ts"
import { useWeekCounts } from "./useWeekCounts.ts"
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

/** Columns of less than 112 pixels. */
const narrow = window.matchMedia("(width < 1000px)")

interface DayProps extends GridProps {
  readonly day: Date
  readonly height: number | undefined
  readonly isNarrow: boolean
}

const MonthDay = ({ canAdd, canMove, day, height, isNarrow, open, openDay, openId, posts }: DayProps) => {
  const now = useNow()
  const key = dayKey(day)
  const all = posts.byDay.get(key) ?? []
  const { lines, shown } = height === undefined ? { lines: 2 as const, shown: 0 } : fitDay(all.length, height, isNarrow)
  const isPast = isPastSlot({ day }, now)
  const isFirst = day.getDate() === 1
  const left = all.length - shown
  return (
    <div
      role="gridcell"
      class={classes("calendar-day", isPast && "calendar-past", isFirst && "calendar-first")}
      data-drop={key}
      data-day={key}
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
        {canAdd && <AddLink slot={{ day }} free={posts.free.get(key)} posts={all} isInGrid />}
      </div>
      <PostChips posts={all.slice(0, shown)} lines={lines} openId={openId} open={open} canMove={canMove} />
      {height !== undefined && left > 0 && (
        <MorePosts posts={all.slice(shown)} onClick={() => openDay(day)}>
          {shown === 0 ? nameCount(left) : `+${left} more`}
        </MorePosts>
      )}
      {posts.isLoadingDay(day) && <div class="calendar-placeholder skeleton" aria-hidden="true" />}
    </div>
  )
}

interface WeekProps extends Omit<DayProps, "day"> {
  readonly start: Date
}

/** Memoized, so that a week is not rendered again when other weeks scroll into view. */
const Week = (props: WeekProps) => {
  const { canMove, height, isNarrow, openId, posts, start } = props
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    row.current?.style.setProperty("height", height === undefined ? "" : `${height}px`)
  }, [height])
  return useMemo(
    () => (
      <div ref={row} class="calendar-row" role="row">
        {daysFrom(start, 7).map((day) => (
          <MonthDay key={dayKey(day)} {...props} day={day} />
        ))}
      </div>
    ),
    [start.getTime(), height, isNarrow, canMove, openId, posts]
  )
}

export interface MonthGridProps extends GridProps {
  readonly weeks: MonthWeeks
  readonly showMonth: (day: Date) => void
}

export const MonthGrid = ({ showMonth, weeks, ...props }: MonthGridProps) => {
  const { base, jump, onSettled } = weeks
  const isNarrow = useMedia(narrow)
  const counts = useWeekCounts(base, props.posts)
  const { body, first, heightOf, last, scroller } = useWeekScroll({ counts, jump, onSettled })
  useRoving(scroller, {
    turnMonth: (from, months) => {
      const day = dayInMonth(from, months)
      showMonth(day)
      return dayKey(day)
    }
  })
  return (
    <div ref={scroller} class="calendar-month" role="grid" aria-label={props.range.title} data-scrolls>
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
          return (
            <Week
              key={dayKey(start)}
              {...props}
              start={start}
              height={heightOf?.(first + offset)}
              isNarrow={isNarrow}
            />
          )
        })}
      </div>
    </div>
  )
}
