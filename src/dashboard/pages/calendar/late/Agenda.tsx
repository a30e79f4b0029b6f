import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { firstWords, type PostJson } from "../../../api/posts.ts"
import { isOpen, postStatus } from "../../../api/postStatus.ts"
import { nameCount } from "../../../shared/actions/action.ts"
import { classes } from "../../../ui/classes.ts"
import { Button, IconButton } from "../../../ui/controls/Button.tsx"
import { LoadMore, useDrawn } from "../../../ui/controls/LoadMore.tsx"
import { StatusBadge } from "../../../ui/display/StatusBadge.tsx"
import { dayKey } from "../../../ui/time/day.ts"
import { startOfDay } from "../../../ui/time/time.ts"
import { useNow } from "../../../ui/time/Time.tsx"
import { AddLink } from "../AddLink.tsx"
import type { GridProps } from "../MonthGrid.tsx"
import { PostChip } from "../PostChip.tsx"
import { type CalendarView, formatLongDay, formatMonth, formatMonthDay, isPastSlot, stepFrom } from "../range.ts"

interface AgendaDay {
  readonly day: Date
  /** The number of posts, including those not drawn yet. */
  readonly total: number
  readonly posts: ReadonlyArray<PostJson>
}

const take = (days: ReadonlyArray<AgendaDay>, count: number): ReadonlyArray<AgendaDay> => {
  let left = count
  return days.flatMap(({ posts, ...of }) => {
    if (left <= 0) return []
    const shown = posts.slice(0, left)
    left -= shown.length
    return [{ ...of, posts: shown }]
  })
}

interface DayProps extends Omit<GridProps, "posts">, AgendaDay {
  readonly free: ReadonlyArray<Date> | undefined
  /** Shown at the end of the head. */
  readonly aside: ComponentChildren
}

const Day = ({ aside, canAdd, canMove, day, free, open, openId, posts, startMove, total }: DayProps) => {
  const now = useNow()
  const isPast = isPastSlot({ day }, now)
  return (
    <section
      class={classes("calendar-agenda-day", isPast && "calendar-past")}
      data-drop={isPast ? undefined : dayKey(day)}
      aria-label={formatLongDay(day)}
    >
      <header class="calendar-agenda-head">
        <h2 aria-current={dayKey(day) === dayKey(now) ? "date" : undefined}>
          {dayKey(day) === dayKey(now) ? (
            <>
              <span class="calendar-today">Today</span>
              {formatMonthDay(day)}
            </>
          ) : (
            formatLongDay(day)
          )}
        </h2>
        <span class="calendar-agenda-count secondary small">{total === 0 ? "" : nameCount(total)}</span>
        {aside}
        {canAdd && <AddLink slot={{ day }} free={free} posts={posts} />}
      </header>
      {posts.map((post) => (
        <div key={post.id} class="calendar-agenda-row">
          <PostChip post={post} isOpen={post.id === openId} open={open} canMove={canMove} />
          <StatusBadge status={postStatus(post)} />
          {canMove && isOpen(post) && (
            <IconButton icon="calendar" label={`Move “${firstWords(post)}” to…`} onClick={() => startMove(post)} />
          )}
        </div>
      ))}
    </section>
  )
}

export interface AgendaProps extends GridProps {
  readonly goTo: (view: CalendarView, date: Date) => void
}

export const Agenda = ({ goTo, ...props }: AgendaProps) => {
  const { posts, range } = props
  const now = useNow()
  const from = range.from.getTime()
  const { count, drawMore } = useDrawn(from)
  const [showsEarlier, setShowsEarlier] = useState(false)
  useEffect(() => setShowsEarlier(false), [from])
  const today = startOfDay(now)
  const hasToday = range.from <= today && today < range.to
  const days = range.days
    .filter((day) => range.view === "week" || day.getMonth() === range.date.getMonth())
    .map((day) => ({ day, posts: posts.byDay.get(dayKey(day)) ?? [] }))
    .map((of) => ({ ...of, total: of.posts.length }))
    .filter(({ posts: of }) => of.length > 0 || range.view === "week")
  const later = hasToday && !showsEarlier ? days.filter(({ day }) => day >= today) : days
  const hidden = days.slice(0, days.length - later.length).reduce((sum, { posts: of }) => sum + of.length, 0)
  const earlier = hidden > 0 && (
    <Button kind="quiet" size="small" icon="arrowUp" class="calendar-earlier" onClick={() => setShowsEarlier(true)}>
      {hidden === 1 ? "1 earlier post" : `${hidden} earlier posts`}
    </Button>
  )
  const next = stepFrom(range, 1)
  const total = later.reduce((sum, { posts: of }) => sum + of.length, 0)
  return (
    <div class="calendar-agenda">
      {later.length === 0 && earlier}
      {take(later, count).map((of, index) => (
        <Day
          key={dayKey(of.day)}
          {...props}
          {...of}
          free={posts.free.get(dayKey(of.day))}
          aside={index === 0 && earlier}
        />
      ))}
      {total > count && <LoadMore isLoading={false} onMore={drawMore} />}
      {total <= count && !posts.isLoading && (
        <Button kind="quiet" size="small" onClick={() => goTo(range.view, next)}>
          {range.view === "month" ? `Go on to ${formatMonth(next)}` : "Next week"}
        </Button>
      )}
    </div>
  )
}
