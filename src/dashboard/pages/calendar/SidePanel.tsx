import { useEffect, useState } from "preact/hooks"
import type { Failure } from "../../api/errors.ts"
import { move } from "../../shared/actions/openers.ts"
import { withLateStyles } from "../../shared/lateStyles.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { LoadMore, useDrawn } from "../../ui/controls/LoadMore.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { dayKey } from "../../ui/time/day.ts"
import type { PostView } from "../post/PostView.tsx"
import { AddLink } from "./AddLink.tsx"
import type { GridProps } from "./MonthGrid.tsx"
import { PostChips } from "./PostChip.tsx"
import { formatLongDay } from "./range.ts"

export interface PostPanelProps {
  readonly id: string
  readonly onClose: () => void
  readonly onMove: (() => void) | undefined
}

let loaded: typeof PostView | undefined

/** Loads the view's code at first use, because it is larger than the calendar's. */
const usePostView = () => {
  const [View, setView] = useState(() => loaded)
  const [error, setError] = useState<Failure>()
  useEffect(() => {
    if (loaded !== undefined) return
    const load = async () => {
      try {
        const code = await withLateStyles(import("../post/PostView.tsx"))
        loaded = code.PostView
        setView(() => code.PostView)
      } catch {
        setError({ _tag: "ConnectionError" })
      }
    }
    void load()
  }, [])
  return { View, error }
}

const Opening = ({ error, onClose }: { readonly error: Failure | undefined; readonly onClose: () => void }) => (
  <>
    <header class="calendar-panel-head">
      <h2>Post</h2>
      <IconButton icon="close" label="Close" onClick={onClose} />
    </header>
    {error === undefined ? (
      <>
        <Loading />
        <Skeleton lines={2} />
        <Skeleton lines={2} height="card" />
      </>
    ) : (
      <LoadError error={error} onRetry={() => window.location.reload()} />
    )}
  </>
)

export const PostPanel = ({ id, onClose, onMove }: PostPanelProps) => {
  const { View, error } = usePostView()
  return (
    <aside class="calendar-panel" aria-label="Post">
      {View === undefined ? <Opening error={error} onClose={onClose} /> : <View id={id} onClose={onClose} />}
      {onMove !== undefined && (
        <footer class="calendar-panel-foot">
          <Button icon={move.icon} onClick={onMove}>
            {move.label}
          </Button>
        </footer>
      )}
    </aside>
  )
}

export interface DayPanelProps extends GridProps {
  readonly day: Date
  readonly onClose: () => void
}

export const DayPanel = ({ canAdd, day, moveByKey, onClose, open, openId, posts }: DayPanelProps) => {
  const key = dayKey(day)
  const { count, drawMore } = useDrawn(key)
  const all = posts.byDay.get(key) ?? []
  return (
    <aside class="calendar-panel" aria-label={formatLongDay(day)}>
      <header class="calendar-panel-head">
        <h2>{formatLongDay(day)}</h2>
        {canAdd && <AddLink slot={{ day }} />}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {all.length === 0 && <p class="secondary">Nothing is planned on this day.</p>}
      <div class="calendar-panel-list">
        <PostChips posts={all.slice(0, count)} isTall openId={openId} open={open} moveByKey={moveByKey} />
        {all.length > count && <LoadMore isLoading={false} onMore={drawMore} />}
      </div>
    </aside>
  )
}
