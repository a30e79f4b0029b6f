import { useState } from "preact/hooks"
import { markAllRead, markRead, type NotificationJson, notifications } from "../../api/notifications.ts"
import { usePages } from "../../api/pages.ts"
import { waitingPosts } from "../../api/posts.ts"
import { invalidate, useMutation, useQuery } from "../../api/query.ts"
import { useCan } from "../../shared/me.ts"
import { ListEnd } from "../../shared/page/ListEnd.tsx"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { sayFailure } from "../../shared/report.ts"
import { useShortcut } from "../../shared/shortcuts.ts"
import { setQuery, useLocation } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { type Tab, Tabs } from "../../ui/controls/Tabs.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { formatDay } from "../../ui/time/time.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { NotificationRow } from "./NotificationRow.tsx"

/** In milliseconds. */
const refreshEvery = 30_000

type Shown = keyof typeof notifications

const tabs: ReadonlyArray<Tab<Shown>> = [
  { id: "all", label: "All" },
  { id: "attention", label: "Needs attention" }
]

const Empty = ({ shown }: { readonly shown: Shown }) =>
  shown === "all" ? (
    <EmptyState icon="bell" title="Nothing yet">
      <p>
        You are notified here when a post is out, when one failed, when one waits for approval, when a draft’s time has
        passed, and when an account has to be connected again.
      </p>
    </EmptyState>
  ) : (
    <EmptyState icon="check" title="Nothing needs attention">
      <p>
        Posts that failed or wait for approval, drafts whose time has passed, and accounts that have to be connected
        again, are listed here.
      </p>
    </EmptyState>
  )

const useNotifications = (shown: Shown) => {
  const list = usePages(notifications[shown], { every: refreshEvery })
  /** Notifications that the person read in this window. */
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const readAll = useMutation(markAllRead, { invalidates: ["/v1/notifications"] })
  const items = (list.items ?? []).map((item) => (opened.has(item.id) ? { ...item, read: true } : item))

  const open = async ({ id }: NotificationJson) => {
    setOpened((before) => new Set([...before, id]))
    const outcome = await markRead(id)
    if (outcome.ok) invalidate("/v1/notifications")
  }
  const markAll = async () => {
    const outcome = await readAll.run(undefined)
    if (outcome.ok) setOpened(new Set(items.map(({ id }) => id)))
    else sayFailure(outcome.error)
  }
  return {
    list,
    items,
    isMarking: readAll.isPending,
    open: (item: NotificationJson) => void open(item),
    markAll: items.some(({ read }) => !read) ? () => void markAll() : undefined
  }
}

/** Recognizes requests for approval that no longer wait, once the waiting posts are known. */
const useOverRequests = () => {
  const { data } = useQuery(useCan()("posts:publish") ? waitingPosts : undefined)
  const waiting = data?.next_cursor === null ? new Set(data.data.map(({ id }) => id)) : undefined
  return ({ metadata, type }: NotificationJson): boolean =>
    type === "post.approval_requested" &&
    waiting !== undefined &&
    "post_id" in metadata &&
    typeof metadata.post_id === "string" &&
    !waiting.has(metadata.post_id)
}

export const Page = () => {
  const { query } = useLocation()
  const shown: Shown = query.get("level") === "attention" ? "attention" : "all"
  const { isMarking, items, list, markAll, open } = useNotifications(shown)
  const now = useNow()
  const isOver = useOverRequests()
  const days = Map.groupBy(items, ({ created_at }) => formatDay(new Date(created_at), now))
  useShortcut({ keys: "e", label: "Mark all as read", group: "Notifications" }, markAll)
  return (
    <div class="page">
      <PageHeader
        title="Notifications"
        actions={
          <>
            {markAll !== undefined && (
              <Button kind="quiet" icon="check" busy={isMarking} onClick={markAll}>
                Mark all as read
              </Button>
            )}
            <Tabs
              label="Shown notifications"
              tabs={tabs}
              selected={shown}
              onSelect={(id) => setQuery({ level: id === "all" ? undefined : id }, { replace: false })}
            />
          </>
        }
      />
      <LoadState of={list} height="row" lines={6} />
      {list.items?.length === 0 && <Empty shown={shown} />}
      {Array.from(days, ([name, ofDay]) => (
        <section key={name} class="notification-day" aria-label={name}>
          <h2 class="notification-date secondary small">{name}</h2>
          <ul class="notification-list">
            {ofDay.map((item) => (
              <NotificationRow key={item.id} notification={item} isOver={isOver(item)} onOpen={open} />
            ))}
          </ul>
        </section>
      ))}
      <ListEnd list={list} />
    </div>
  )
}
