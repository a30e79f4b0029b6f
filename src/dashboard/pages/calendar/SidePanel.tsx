import { useEffect, useState } from "preact/hooks"
import { describeFailure } from "../../api/errors.ts"
import { onePost, type PostJson, postStatus } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { Link } from "../../app/router.tsx"
import { Button, IconButton } from "../../ui/Button.tsx"
import { LoadMore } from "../../ui/LoadMore.tsx"
import { Loading, Skeleton } from "../../ui/Skeleton.tsx"
import { StatusBadge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { AddLink } from "./AddLink.tsx"
import { type ChipActions, PostChip } from "./PostChip.tsx"
import { dayKey, formatLongDay } from "./range.ts"

export interface PostPanelProps {
  readonly id: string
  readonly onClose: () => void
  /** Undefined where the post can't be moved. */
  readonly onMove: (() => void) | undefined
}

const Summary = ({ post }: { readonly post: PostJson }) => (
  <>
    <div>
      <StatusBadge status={postStatus(post)} />
    </div>
    {post.scheduled_at !== null && <Time at={post.scheduled_at} as="exact" />}
    <p class="calendar-panel-text">{post.content}</p>
    <div>
      <Link class="button button-secondary" href={`/posts/${post.id}`}>
        Open the post
      </Link>
    </div>
  </>
)

/** A post beside the calendar. */
export const PostPanel = ({ id, onClose, onMove }: PostPanelProps) => {
  const { data, error } = useQuery(onePost(id))
  return (
    <aside class="calendar-panel" aria-label="Post">
      <header class="calendar-panel-head">
        {onMove !== undefined && (
          <Button size="small" icon="calendar" onClick={onMove}>
            Move to…
          </Button>
        )}
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {data !== undefined ? (
        <Summary post={data.data} />
      ) : error !== undefined ? (
        <p>{describeFailure(error)}</p>
      ) : (
        <>
          <Loading />
          <Skeleton lines={5} />
        </>
      )}
    </aside>
  )
}

export interface DayPanelProps extends ChipActions {
  readonly day: Date
  readonly posts: ReadonlyArray<PostJson>
  readonly canAdd: boolean
  readonly onClose: () => void
}

/** So many posts are drawn at first, and each time that the end comes near. */
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
