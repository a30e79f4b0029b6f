import type { RefObject } from "preact"
import { useRef } from "preact/hooks"
import { useBegun } from "../../shared/drafts/unsaved.ts"
import { lazily } from "../../shared/lazily.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import type { OrderDrop } from "./late/QueueOrder.tsx"
import type { GridProps } from "./MonthGrid.tsx"
import { PostChips } from "./PostChip.tsx"
import { useRoving } from "./useRoving.ts"

const QueueOrder = lazily<TrayProps>("The order of the week", async () => (await import("./late/late.ts")).QueueOrder)

const BegunPosts = lazily<object>("What you began", async () => (await import("./late/late.ts")).BegunPosts)

export interface TrayProps extends GridProps {
  /** Set while the order of the week is shown. */
  readonly onOrder: RefObject<OrderDrop | null>
}

/** Drafts can be dragged to a day. A post that is dropped here loses its time. */
export const Tray = (props: TrayProps) => {
  const { canAdd, canMove, open, openId, posts, range } = props
  const root = useRef<HTMLElement>(null)
  const { begun } = useBegun()
  useRoving(root)
  return (
    <aside ref={root} class="calendar-tray" aria-label="Drafts without a time" data-drop="tray">
      {canAdd && begun.length > 0 && <BegunPosts />}
      {range.view === "week" && <QueueOrder {...props} />}
      <h2 class="calendar-tray-title small">
        Drafts without a time
        {posts.drafts.length > 0 && (
          <span class="secondary numbers">
            {posts.drafts.length}
            {posts.hasMoreDrafts && "+"}
          </span>
        )}
      </h2>
      {posts.drafts.length === 0 && !posts.isLoading ? (
        <p class="calendar-tray-empty secondary small">
          {canAdd ? (
            <>
              Save a <Link href="/compose">new post</Link> without a time and it waits here. Drag it onto a day when you
              know which.
            </>
          ) : (
            "None. A draft waits here until it gets a time."
          )}
        </p>
      ) : (
        <div class="calendar-tray-list">
          <PostChips posts={posts.drafts} openId={openId} open={open} canMove={canMove} />
          {posts.hasMoreDrafts && (
            <Button kind="quiet" size="small" onClick={posts.loadMoreDrafts}>
              Show more
            </Button>
          )}
        </div>
      )}
    </aside>
  )
}
