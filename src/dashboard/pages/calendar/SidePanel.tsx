import { useEffect, useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { LoadMore } from "../../ui/controls/LoadMore.tsx"
import { dayKey } from "../../ui/time/day.ts"
import { PostView } from "../post/PostView.tsx"
import { AddLink } from "./AddLink.tsx"
import { type ChipActions, PostChip } from "./PostChip.tsx"
import { formatLongDay } from "./range.ts"

export interface PostPanelProps {
  readonly id: string
  readonly onClose: () => void
  /** Asks where the post shall go; undefined where it can't be moved. */
  readonly onMove: (() => void) | undefined
}

/** A post beside the calendar. */
export const PostPanel = ({ id, onClose, onMove }: PostPanelProps) => (
  <aside class="calendar-panel" aria-label="Post">
    <PostView id={id} onClose={onClose} />
    {onMove !== undefined && (
      <footer class="calendar-panel-foot">
        <Button icon="calendar" onClick={onMove}>
          Move to…
        </Button>
      </footer>
    )}
  </aside>
)

export interface DayPanelProps extends ChipActions {
  readonly day: Date
  readonly posts: ReadonlyArray<PostJson>
  readonly canAdd: boolean
  readonly onClose: () => void
}

/** How many posts are drawn at first, and each time that the end comes near. */
const step = 40

/** All posts of a day, beside the calendar, from where they can be dragged. */
export const DayPanel = ({ canAdd, day, moveByKey, onClose, open, posts }: DayPanelProps) => {
  const [count, setCount] = useState(step)
  const key = dayKey(day)
  useEffect(() => {
    setCount(step)
  }, [key])
  return (
    <aside class="calendar-panel" aria-label={formatLongDay(day)}>
      <header class="calendar-panel-head">
        <h2>{formatLongDay(day)}</h2>
        {canAdd && <AddLink slot={{ day }} />}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {posts.length === 0 && <p class="secondary">Nothing is planned on this day.</p>}
      <div class="calendar-panel-list">
        {posts.slice(0, count).map((post) => (
          <PostChip key={post.id} post={post} isTall open={open} moveByKey={moveByKey} />
        ))}
        {posts.length > count && (
          <LoadMore
            isLoading={false}
            onMore={() => {
              setCount(count + step)
            }}
          />
        )}
      </div>
    </aside>
  )
}
