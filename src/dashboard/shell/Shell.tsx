import type { ComponentChildren } from "preact"
import { newestNotifications } from "../api/notifications.ts"
import type { Page } from "../api/pages.ts"
import { waitingPosts } from "../api/posts.ts"
import { useQuery } from "../api/query.ts"
import { useCan, useMe } from "../shared/me.ts"
import { Link, navigate, useLocation } from "../shared/router.tsx"
import { useShortcut } from "../shared/shortcuts.ts"
import { runLastAction } from "../ui/dialogs/Toasts.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { ConnectionBar } from "./ConnectionBar.tsx"
import { PauseBar } from "./PauseBar.tsx"
import { ShortcutHelp } from "./ShortcutHelp.tsx"
import { TopBar } from "./TopBar.tsx"
import { usePageFocus } from "./usePageFocus.ts"
import { ZoneBar } from "./ZoneBar.tsx"

interface Place {
  readonly path: string
  readonly label: string
  readonly icon: IconName
  /** The key that opens the page after `g`. */
  readonly goKey: string
  readonly count?: Count | undefined
}

interface Count {
  readonly size: number
  /** True if there may be more items than were loaded. */
  readonly isMore: boolean
}

const isUnder = (place: string, path: string) =>
  place === "/" ? path === "/" : path === place || path.startsWith(`${place}/`)

const PlaceLink = ({ count, goKey, icon, label, path }: Place) => {
  const { path: here } = useLocation()
  useShortcut({ keys: `g ${goKey}`, label: `Go to ${label}`, group: "Go" }, () => navigate(path))
  return (
    <li>
      <Link href={path} class="place" aria-current={isUnder(path, here) ? "page" : undefined}>
        <Icon name={icon} />
        <span class="place-label">{label}</span>
        {count !== undefined && count.size > 0 && (
          <span class="count numbers">
            {count.size}
            {count.isMore && "+"}
          </span>
        )}
      </Link>
    </li>
  )
}

/** In milliseconds. */
const countsEvery = 30_000

const countOf = <Item,>(page: Page<Item> | undefined, isCounted: (item: Item) => boolean): Count | undefined => {
  const last = page?.data.at(-1)
  if (page === undefined || last === undefined) return undefined
  // The newest items come first. If the last loaded item does not count, older ones rarely do.
  return { size: page.data.filter(isCounted).length, isMore: page.next_cursor !== null && isCounted(last) }
}

const usePlaces = (): ReadonlyArray<Place> => {
  const can = useCan()
  const unread = useQuery(newestNotifications, { every: countsEvery })
  // Requests for approval have a count of their own.
  const canApprove = can("posts:publish")
  const waiting = useQuery(canApprove ? waitingPosts : undefined, { every: countsEvery })
  return [
    { path: "/", label: "Calendar", icon: "calendar", goKey: "c" },
    { path: "/upcoming", label: "Upcoming", icon: "clock", goKey: "u" },
    { path: "/posts", label: "Posts", icon: "posts", goKey: "p" },
    {
      path: "/approvals",
      label: "Approvals",
      icon: "approvals",
      goKey: "a",
      count: countOf(waiting.data, () => true)
    },
    {
      path: "/notifications",
      label: "Notifications",
      icon: "bell",
      goKey: "n",
      count: countOf(unread.data, ({ read, type }) => !read && !(type === "post.approval_requested" && canApprove))
    },
    { path: "/accounts", label: "Accounts", icon: "accounts", goKey: "o" },
    { path: "/settings", label: "Settings", icon: "settings", goKey: "s" }
  ]
}

interface ShellProps {
  readonly title: string
  /** Loads the rules of the shown time zone again; undefined unless they are missing. */
  readonly retryZone: (() => void) | undefined
  readonly children: ComponentChildren
}

export const Shell = ({ children, retryZone, title }: ShellProps) => {
  const places = usePlaces()
  const can = useCan()
  const { publishing } = useMe()
  const main = usePageFocus()
  useShortcut(
    { keys: "n", label: "New post", group: "Everywhere" },
    can("posts:write") ? () => navigate("/compose") : undefined
  )
  useShortcut({ keys: "Control+z", label: "Undo the last change", group: "Everywhere" }, () => runLastAction("Undo"))
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <TopBar title={title} />
      <nav class="rail" aria-label="Pages">
        <ul>
          {places.map((place) => (
            <PlaceLink key={place.path} {...place} />
          ))}
        </ul>
      </nav>
      <main ref={main} id="main" class="main" tabindex={-1}>
        <ConnectionBar />
        <PauseBar />
        {retryZone !== undefined && <ZoneBar retry={retryZone} />}
        {publishing.held_since !== null && (
          <p class="notice" role="status">
            <Icon name="warning" />
            <span>
              Publishing is on hold because the database was restored. Nothing goes out until the operator runs{" "}
              <code>resume</code>.
            </span>
          </p>
        )}
        {children}
      </main>
      <ShortcutHelp />
    </div>
  )
}
