import { useLayoutEffect, useRef } from "preact/hooks"
import type { PostJson } from "../../../api/posts.ts"
import { classes } from "../../../ui/classes.ts"
import { dayKey } from "../../../ui/time/day.ts"
import { formatHour } from "../../../ui/time/time.ts"
import { useNow } from "../../../ui/time/Time.tsx"
import { inZone, timeOfZone } from "../../../ui/time/zone.ts"
import { AddLink } from "../AddLink.tsx"
import type { GridProps } from "../MonthGrid.tsx"
import { MorePosts } from "../MorePosts.tsx"
import { PostChips } from "../PostChip.tsx"
import { useRoving } from "../useRoving.ts"
import { formatLongDay, formatWeekday, isPastSlot, slotKey } from "../range.ts"

const hours = Array.from({ length: 24 }, (_, hour) => hour)
/** Uses a day on which the clock does not change. */
const nameHour = (hour: number): string => formatHour(timeOfZone(2000, 0, 3, hour))
const maxInHour = 3
/** The first hour in view, in a week without posts. */
const firstHour = 8
/** Pixels, as in week.css. */
const headHeight = 37

interface HourProps extends GridProps {
  readonly day: Date
  readonly hour: number
  readonly inHour: ReadonlyArray<PostJson>
  readonly free: ReadonlyArray<Date> | undefined
}

const Hour = ({ canAdd, canMove, day, free, hour, inHour, open, openDay, openId }: HourProps) => {
  const now = useNow()
  const isPast = isPastSlot({ day, hour }, now)
  const shown = inHour.length > maxInHour ? inHour.slice(0, maxInHour - 1) : inHour
  const isNow = dayKey(day) === dayKey(now) && hour === inZone(now).getHours()
  return (
    <div
      role="gridcell"
      class={classes("calendar-hour", isPast && "calendar-past", isNow && "calendar-now")}
      data-drop={slotKey({ day, hour })}
      data-day={dayKey(day)}
    >
      <PostChips posts={shown} openId={openId} open={open} canMove={canMove} />
      {shown.length < inHour.length && (
        <MorePosts posts={inHour.slice(shown.length)} onClick={() => openDay(day)}>
          +{inHour.length - shown.length} more
        </MorePosts>
      )}
      {canAdd && <AddLink slot={{ day, hour }} free={free} posts={inHour} isInGrid />}
    </div>
  )
}

export const WeekGrid = (props: GridProps) => {
  const { openDay, posts, range } = props
  const now = useNow()
  const scroller = useRef<HTMLDivElement>(null)
  useRoving(scroller)
  const from = range.from.getTime()
  const byHour = range.days.map((day) =>
    Map.groupBy(posts.byDay.get(dayKey(day)) ?? [], ({ scheduled_at: at }) => inZone(at ?? "").getHours())
  )
  const freeByHour = range.days.map((day) =>
    Map.groupBy(posts.free.get(dayKey(day)) ?? [], (slot) => inZone(slot).getHours())
  )
  // The current week opens at the current hour, and any other week at its first post.
  const opening =
    range.from <= now && now < range.to
      ? inZone(now).getHours()
      : Math.min(...byHour.flatMap((ofDay) => Array.from(ofDay.keys())))
  // A layout effect scrolls before the paint, so that nothing jumps.
  useLayoutEffect(() => {
    const hour = Number.isFinite(opening) ? opening : firstHour
    const row = scroller.current?.querySelector<HTMLElement>(`[data-hour="${Math.max(0, hour - 1)}"]`)
    if (row) scroller.current?.scrollTo(0, row.offsetTop - headHeight)
  }, [from, posts.isLoading])
  return (
    <div ref={scroller} class="calendar-week" role="grid" aria-label={range.title} data-scrolls>
      <div class="calendar-week-head" role="row">
        <div class="calendar-hour-name" role="columnheader">
          <span class="only-read">Hour</span>
        </div>
        {range.days.map((day) => (
          <div
            key={dayKey(day)}
            role="columnheader"
            data-day={dayKey(day)}
            class={classes(isPastSlot({ day }, now) && "calendar-past")}
          >
            <button
              type="button"
              class="calendar-week-day"
              aria-current={dayKey(day) === dayKey(now) ? "date" : undefined}
              title={`Show ${formatLongDay(day)}`}
              onClick={() => openDay(day)}
            >
              {formatWeekday(day)} <span class="calendar-day-number numbers">{day.getDate()}</span>
            </button>
          </div>
        ))}
      </div>
      {hours.map((hour) => (
        <div key={hour} class="calendar-hours" role="row" data-hour={hour}>
          <div class="calendar-hour-name numbers" role="rowheader">
            {nameHour(hour)}
          </div>
          {range.days.map((day, index) => (
            <Hour
              key={dayKey(day)}
              {...props}
              day={day}
              hour={hour}
              inHour={byHour[index]?.get(hour) ?? []}
              free={freeByHour[index]?.get(hour)}
            />
          ))}
        </div>
      ))}
    </div>
  )
}
