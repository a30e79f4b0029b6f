import { useEffect, useRef, useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { classes } from "../../ui/classes.ts"
import { dayKey } from "../../ui/time/day.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { AddLink } from "./AddLink.tsx"
import { type ChipActions, PostChip } from "./PostChip.tsx"
import { type CalendarRange, formatLongDay, formatMonthDay, formatWeekday, isPastSlot } from "./range.ts"
import type { CalendarPosts } from "./useCalendarPosts.ts"

export interface GridProps extends ChipActions {
  readonly range: CalendarRange
  readonly posts: CalendarPosts
  readonly openId: string | undefined
  /** Shows all posts of a day. */
  readonly openDay: (day: Date) => void
  readonly canAdd: boolean
  /** Asks where a post shall go. */
  readonly startMove: (post: PostJson) => void
}

/** The heights of chips with their gap, and of the head of a day, in pixels: the same as in chip.css and month.css. */
const chipHeight = 24
const tallChipHeight = 42
const headHeight = 32

/** The height of a cell, which follows the window's. */
const useCellHeight = (weeks: number) => {
  const grid = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(0)
  useEffect(() => {
    if (grid.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setHeight(Math.floor(entry.contentRect.height / weeks))
    })
    observer.observe(grid.current)
    return () => {
      observer.disconnect()
    }
  }, [weeks])
  return { grid, height }
}

/** How many posts are shown, and how: on two lines if all find place so, else on one. */
const fit = (count: number, height: number) => {
  const space = height - headHeight
  if (count * tallChipHeight <= space) return { shown: count, isTall: true }
  const slots = Math.max(1, Math.floor(space / chipHeight))
  return { shown: count <= slots ? count : slots - 1, isTall: false }
}

interface DayProps extends GridProps {
  readonly day: Date
  readonly posts: CalendarPosts
  readonly height: number
}

const noPosts: ReadonlyArray<PostJson> = []

const MonthDay = ({ canAdd, day, height, moveByKey, open, openDay, openId, posts, range }: DayProps) => {
  const now = useNow()
  const key = dayKey(day)
  const all = posts.byDay.get(key) ?? noPosts
  const { isTall, shown } = fit(all.length, height)
  const isPast = isPastSlot({ day }, now)
  const isFirst = day.getDate() === 1
  return (
    <div
      role="cell"
      class={classes(
        "calendar-day",
        isPast && "calendar-past",
        day.getMonth() !== range.date.getMonth() && "calendar-outside"
      )}
      data-drop={isPast ? undefined : key}
      aria-label={formatLongDay(day)}
    >
      <div class="calendar-day-head">
        <button
          type="button"
          class="calendar-day-number numbers"
          aria-current={key === dayKey(now) ? "date" : undefined}
          title={`Show ${formatLongDay(day)}`}
          onClick={() => {
            openDay(day)
          }}
        >
          {isFirst ? formatMonthDay(day) : day.getDate()}
        </button>
        {canAdd && <AddLink slot={{ day }} />}
      </div>
      {height > 0 &&
        all
          .slice(0, shown)
          .map((post) => (
            <PostChip
              key={post.id}
              post={post}
              isTall={isTall}
              isOpen={post.id === openId}
              open={open}
              moveByKey={moveByKey}
            />
          ))}
      {height > 0 && shown < all.length && (
        <button
          type="button"
          class="calendar-more"
          onClick={() => {
            openDay(day)
          }}
        >
          {shown === 0 ? `${all.length} ${all.length === 1 ? "post" : "posts"}` : `+${all.length - shown} more`}
        </button>
      )}
      {posts.isLoading && <div class="calendar-placeholder skeleton" aria-hidden="true" />}
    </div>
  )
}

export const MonthGrid = (props: GridProps) => {
  const { range } = props
  const weeks = range.days.length / 7
  const { grid, height } = useCellHeight(weeks)
  return (
    <div class="calendar-month" role="table" aria-label={range.title}>
      <div class="calendar-weekdays" role="row">
        {range.days.slice(0, 7).map((day) => (
          <div key={day.getDay()} role="columnheader">
            {formatWeekday(day)}
          </div>
        ))}
      </div>
      <div ref={grid} class={`calendar-weeks calendar-weeks-${weeks}`} role="rowgroup">
        {Array.from({ length: weeks }, (_, week) => (
          <div key={dayKey(range.days[week * 7] ?? range.from)} class="calendar-row" role="row">
            {range.days.slice(week * 7, week * 7 + 7).map((day) => (
              <MonthDay key={dayKey(day)} {...props} day={day} height={height} />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
