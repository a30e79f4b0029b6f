import type { RefObject } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { hasStatus, type Failure } from "../../../api/errors.ts"
import { type PostJson, rereadPost } from "../../../api/posts.ts"
import { isAwaitingApproval } from "../../../api/postStatus.ts"
import { invalidate } from "../../../api/query.ts"
import { orderPosts } from "../../../api/queue.ts"
import { sayRefusal } from "../../../shared/actions/send.ts"
import { useShortcut } from "../../../shared/shortcuts.ts"
import { toast } from "../../../ui/dialogs/Toasts.tsx"
import { dayKey } from "../../../ui/time/day.ts"
import { formatFixedTime } from "../../../ui/time/time.ts"
import { useNow } from "../../../ui/time/Time.tsx"
import { inZone } from "../../../ui/time/zone.ts"
import type { GridProps } from "../MonthGrid.tsx"
import { PostChip } from "../PostChip.tsx"
import { type Reordered, reorder, undoOf } from "../reorder.ts"
import type { CalendarPosts } from "../useCalendarPosts.ts"
import { formatLongDay } from "../range.ts"
import { postAt } from "../useCalendarSelection.ts"
import { useRoving } from "../useRoving.ts"

/** Called with a dropped post and the post on which it was dropped. */
export type OrderDrop = (id: string, on: string) => void

const dayOf = (post: PostJson | undefined): string | undefined =>
  post?.scheduled_at == null ? undefined : formatLongDay(inZone(post.scheduled_at))

/** Names the post that kept the others from moving. */
const sayRefused = async (posts: ReadonlyArray<PostJson>, error: Failure) => {
  const found = await Promise.all(posts.map(async (post) => ({ post, outcome: await rereadPost(post.id) })))
  const changed = found.find(({ outcome, post }) =>
    outcome.ok
      ? outcome.data.data.revision !== post.revision || outcome.data.data.status !== post.status
      : hasStatus(outcome.error, 404)
  )
  const { outcome, post } = changed ?? { post: posts[0], outcome: undefined }
  if (post !== undefined) sayRefusal({ post }, { error, ...(outcome?.ok === true && { current: outcome.data.data }) })
}

const useOrder = (queued: ReadonlyArray<PostJson>, posts: CalendarPosts) => {
  const isUnderWay = useRef(false)
  const send = async (order: ReadonlyArray<PostJson>): Promise<ReadonlyArray<PostJson> | undefined> => {
    if (isUnderWay.current) return undefined
    isUnderWay.current = true
    const outcome = await orderPosts(order)
    isUnderWay.current = false
    if (outcome.ok) posts.show(outcome.data.data)
    else await sayRefused(order, outcome.error)
    invalidate("/v1/posts")
    return outcome.ok ? outcome.data.data : undefined
  }
  const run = async ({ before, order, post }: Reordered) => {
    const moved = await send(order)
    const at = moved?.find(({ id }) => id === post.id)?.scheduled_at
    if (moved === undefined || at == null) return
    toast(`It goes out ${formatFixedTime(new Date(at), new Date())} now, and the others in between`, {
      tone: "success",
      about: post.id,
      action: { label: "Undo", run: () => void send(undoOf(before, moved)) }
    })
  }
  return (id: string, to: (from: number) => number) => {
    const change = reorder(queued, id, to)
    if (change !== undefined) void run(change)
    return change !== undefined
  }
}

export interface QueueOrderProps extends GridProps {
  readonly onOrder: RefObject<OrderDrop | null>
}

/** The planned posts of a week. Those that change places exchange their times. */
export const QueueOrder = ({ canMove, onOrder, open, openId, posts, range }: QueueOrderProps) => {
  const root = useRef<HTMLElement>(null)
  const now = useNow()
  useRoving(root)
  const queued = range.days
    .flatMap((day) => posts.byDay.get(dayKey(day)) ?? [])
    .filter((post) => post.status === "scheduled" || isAwaitingApproval(post))
    .filter(({ scheduled_at: at }) => at !== null && new Date(at) > now)
  const order = useOrder(queued, posts)
  useLayoutEffect(() => {
    onOrder.current = (id, on) => {
      const to = queued.findIndex((post) => post.id === on)
      if (to !== -1 && !order(id, () => to) && id !== on)
        toast("Planned posts change places here. Drop a draft on a day or an hour.")
    }
    return () => {
      onOrder.current = null
    }
  })
  const byKey = (step: number) => () => {
    const id = postAt(document.activeElement)
    if (id !== undefined) order(id, (from) => from + step)
  }
  useShortcut(
    { keys: "[", label: "Exchange the post with the one before it", group: "Calendar" },
    canMove ? byKey(-1) : undefined
  )
  useShortcut(
    { keys: "]", label: "Exchange the post with the one after it", group: "Calendar" },
    canMove ? byKey(1) : undefined
  )
  if (queued.length < 2) return null
  return (
    <section ref={root} class="calendar-order" aria-label="Order of the week" data-drop="order:">
      <h2 class="calendar-tray-title small">
        Order of the week<span class="secondary numbers">{queued.length}</span>
      </h2>
      {canMove && (
        <p class="secondary small">
          Drag a post onto another to take its time
          <span class="calendar-order-keys">
            , or press <kbd>[</kbd> and <kbd>]</kbd>
          </span>
          .
        </p>
      )}
      <ol class="calendar-tray-list">
        {queued.map((post, index) => (
          <li key={post.id} data-drop={`order:${post.id}`}>
            {dayOf(post) !== dayOf(queued[index - 1]) && <span class="secondary small">{dayOf(post)}</span>}
            <PostChip post={post} isOpen={post.id === openId} open={open} canMove={canMove} lines={1} />
          </li>
        ))}
      </ol>
    </section>
  )
}
