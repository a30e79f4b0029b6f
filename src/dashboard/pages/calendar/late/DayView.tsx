import { useRef } from "preact/hooks"
import { firstWords, type PostJson } from "../../../api/posts.ts"
import { isOpen, postStatus } from "../../../api/postStatus.ts"
import { nameCount } from "../../../shared/actions/action.ts"
import { Link } from "../../../shared/router.tsx"
import { classes } from "../../../ui/classes.ts"
import { IconButton } from "../../../ui/controls/Button.tsx"
import { LoadMore, useDrawn } from "../../../ui/controls/LoadMore.tsx"
import { StatusBadge } from "../../../ui/display/StatusBadge.tsx"
import { dayKey } from "../../../ui/time/day.ts"
import { useNow } from "../../../ui/time/Time.tsx"
import type { GridProps } from "../MonthGrid.tsx"
import { PostChip } from "../PostChip.tsx"
import { formatLongDay, isPastSlot, newPostPath } from "../range.ts"
import { useRoving } from "../useRoving.ts"

const Row = ({ canMove, open, openId, post, startMove }: GridProps & { readonly post: PostJson }) => (
  <li class="calendar-dayview-row">
    <PostChip post={post} isOpen={post.id === openId} open={open} canMove={canMove} isWhole />
    <StatusBadge status={postStatus(post)} />
    {canMove && isOpen(post) && (
      <IconButton icon="calendar" label={`Move “${firstWords(post)}” to…`} onClick={() => startMove(post)} />
    )}
  </li>
)

/** All posts of a day with their whole texts. */
export const DayView = (props: GridProps) => {
  const { canAdd, posts, range } = props
  const day = range.from
  const key = dayKey(day)
  const now = useNow()
  const root = useRef<HTMLElement>(null)
  const { count, drawMore } = useDrawn(key)
  useRoving(root)
  const all = posts.byDay.get(key) ?? []
  const isPast = isPastSlot({ day }, now)
  return (
    <section
      ref={root}
      class={classes("calendar-dayview", isPast && "calendar-past")}
      data-day={key}
      data-drop={key}
      aria-label={formatLongDay(day)}
    >
      <div class="calendar-dayview-head">
        <span class="secondary">{all.length === 0 ? "" : nameCount(all.length)}</span>
        {canAdd && !isPast && all.length > 0 && (
          <Link class="button button-secondary button-small" href={newPostPath({ day }, now, posts.free.get(key), all)}>
            New post on this day
          </Link>
        )}
      </div>
      <ul class="calendar-dayview-list">
        {all.slice(0, count).map((post) => (
          <Row key={post.id} {...props} post={post} />
        ))}
      </ul>
      {all.length > count && <LoadMore isLoading={false} onMore={drawMore} />}
    </section>
  )
}
