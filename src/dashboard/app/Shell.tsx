import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { IconName } from "../ui/Icon.tsx"
import { useQuery } from "../api/query.ts"
import { notifications } from "../api/notifications.ts"
import { postPage } from "../api/posts.ts"
import { Icon } from "../ui/Icon.tsx"
import { ConnectionBar } from "./ConnectionBar.tsx"
import { Link, navigate, useLocation } from "./router.tsx"
import { useCan, useMe } from "./session.tsx"
import { ShortcutHelp, useShortcut } from "./shortcuts.tsx"
import { TopBar } from "./TopBar.tsx"

interface Place {
  readonly path: string
  readonly label: string
  readonly icon: IconName
  /** The second key after `g`. */
  readonly goKey: string
  readonly count?: number
}

/** Beyond it the count is only known to be more. */
const maxCount = 99

const isUnder = (place: string, path: string) =>
  place === "/" ? path === "/" : path === place || path.startsWith(`${place}/`)

const PlaceLink = ({ count = 0, icon, label, path }: Place) => {
  const { path: here } = useLocation()
  return (
    <li>
      <Link href={path} class="place" aria-current={isUnder(path, here) ? "page" : undefined}>
        <Icon name={icon} />
        <span class="place-label">{label}</span>
        {count > 0 && <span class="count numbers">{count > maxCount ? `${maxCount}+` : count}</span>}
      </Link>
    </li>
  )
}

const PlaceShortcut = ({
  path,
  shortcut,
  label
}: {
  readonly path: string
  readonly shortcut: string
  readonly label: string
}) => {
  useShortcut({ keys: `g ${shortcut}`, label: `Go to ${label}`, group: "Go" }, () => {
    navigate(path)
  })
  return null
}

/** How often the counts in the rail are loaded again, in milliseconds. */
const countsEvery = 30_000

const usePlaces = (): ReadonlyArray<Place> => {
  const can = useCan()
  const unread = useQuery(notifications, { every: countsEvery })
  const waiting = useQuery(postPage({ approval: "requested", limit: 100 }), { every: countsEvery })
  return [
    { path: "/", label: "Calendar", icon: "calendar", goKey: "c" },
    { path: "/posts", label: "Posts", icon: "posts", goKey: "p" },
    {
      path: "/approvals",
      label: "Approvals",
      icon: "approvals",
      goKey: "a",
      count: can("posts:publish") ? (waiting.data?.data.length ?? 0) : 0
    },
    {
      path: "/notifications",
      label: "Notifications",
      icon: "bell",
      goKey: "n",
      count: unread.data?.data.filter(({ read }) => !read).length ?? 0
    },
    { path: "/accounts", label: "Accounts", icon: "accounts", goKey: "o" },
    { path: "/settings", label: "Settings", icon: "settings", goKey: "s" }
  ]
}

/** Moves the focus to a page that was opened, so that keys and screen readers go on there. Not at the first page. */
const useFocusOnPageChange = () => {
  const { path } = useLocation()
  const shown = useRef(path)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    main.current?.focus({ preventScroll: true })
    main.current?.scrollTo(0, 0)
  }, [path])
  return main
}

/** What is around every page for people who are logged in. */
export const Shell = ({ children, title }: { readonly children: ComponentChildren; readonly title: string }) => {
  const places = usePlaces()
  const can = useCan()
  const { publishing } = useMe()
  const main = useFocusOnPageChange()
  useShortcut(
    { keys: "n", label: "New post", group: "Everywhere" },
    can("posts:write")
      ? () => {
          navigate("/compose")
        }
      : undefined
  )
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
      {places.map(({ goKey, label, path }) => (
        <PlaceShortcut key={path} path={path} shortcut={goKey} label={label} />
      ))}
      <main ref={main} id="main" class="main" tabindex={-1}>
        <ConnectionBar />
        {publishing.held_since !== null && (
          <p class="notice" role="status">
            <Icon name="warning" />
            <span>
              Publishing is held since the database was restored. Nothing goes out until the operator runs{" "}
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
