import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { makeStore } from "../store/makeStore.ts"
import { useStore } from "../store/useStore.ts"

export interface Location {
  readonly path: string
  readonly query: URLSearchParams
  /** What follows `#`. */
  readonly fragment: string
}

const readLocation = (): Location => ({
  path: window.location.pathname,
  query: new URLSearchParams(window.location.search),
  fragment: window.location.hash.slice(1)
})

const location = makeStore(readLocation())

/** Resolves with whether the page may be left for an address. */
export type LeaveGuard = (to: URL) => Promise<boolean>

/** The guard of the page that has something to lose. */
let guard: LeaveGuard | undefined

/** The address of what is shown. While a person is asked, the browser's is the one that a step back led to. */
let shown = window.location.href

const show = () => {
  shown = window.location.href
  location.set(readLocation())
}

window.addEventListener("popstate", () => {
  const ask = async (isLeft: LeaveGuard) => {
    if (await isLeft(new URL(window.location.href))) show()
    else window.history.pushState(null, "", shown)
  }
  if (guard === undefined) show()
  else void ask(guard)
})

interface NavigateOptions {
  /** Takes the place of the current entry in the history. */
  readonly replace?: boolean
  /** Whether a page with something to lose is not asked. */
  readonly force?: boolean
}

/** Goes to a path of the dashboard, with query. A page that has something to lose asks first. */
export const navigate = (to: string, { force = false, replace = false }: NavigateOptions = {}) => {
  const go = () => {
    if (replace) window.history.replaceState(window.history.state, "", to)
    else {
      const { hash, pathname, search } = new URL(shown)
      window.history.pushState({ from: `${pathname}${search}${hash}` }, "", to)
      window.scrollTo(0, 0)
    }
    show()
  }
  const ask = async (isLeft: LeaveGuard) => {
    if (await isLeft(new URL(to, shown))) go()
  }
  if (guard === undefined || force) go()
  else void ask(guard)
}

/** The page from which a person has come to this one; undefined where they opened it by its address. */
export const cameFrom = (): string | undefined => {
  const state: unknown = window.history.state
  return typeof state === "object" && state !== null && "from" in state && typeof state.from === "string"
    ? state.from
    : undefined
}

/** Whether the document may be left, such as for a log-out. Its guard stays: what is asked for may fail. */
export const mayLeave = async (): Promise<boolean> => guard === undefined || (await guard(new URL("/login", shown)))

const warn = (event: BeforeUnloadEvent) => {
  event.preventDefault()
}

const setGuard = (asked: LeaveGuard) => {
  guard = asked
  window.addEventListener("beforeunload", warn)
}

/** Takes the guard away, as for a person who has decided to leave: neither the page nor the browser asks again. */
export const dropGuard = () => {
  guard = undefined
  window.removeEventListener("beforeunload", warn)
}

/** Asks before the page is left, as long as it has something to lose; the browser asks where the document is. */
export const useLeaveGuard = (hasToLose: boolean, ask: LeaveGuard) => {
  const latest = useRef(ask)
  latest.current = ask
  // An effect would wait for the next frame, and a step back in between would not be asked about.
  useLayoutEffect(() => {
    if (!hasToLose) return
    setGuard((to) => latest.current(to))
    return dropGuard
  }, [hasToLose])
}

export const useLocation = (): Location => useStore(location)

/** Tells of each path that is gone to, before it is shown. */
export const followPath = (listener: (path: string) => void) => {
  let last = location.get().path
  return location.subscribe(() => {
    const { path } = location.get()
    if (path !== last) listener(path)
    last = path
  })
}

/** Changes members of the query in place, such as a filter; undefined removes one. */
export const setQuery = (changes: Readonly<Record<string, string | undefined>>) => {
  const query = new URLSearchParams(window.location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  navigate(text === "" ? window.location.pathname : `${window.location.pathname}?${text}`, { replace: true })
}

/** Where a person was going, if that is a page of this service: `//host`, `/\host` and other schemes are not. */
export const safeTarget = (target: string | null): string => {
  if (target === null || !target.startsWith("/")) return "/"
  const url = URL.parse(target, window.location.origin)
  return url !== null && url.origin === window.location.origin && url.pathname !== "/login"
    ? `${url.pathname}${url.search}${url.hash}`
    : "/"
}

/** The path of the log-in page, which leads back to where the person is. `isEnded`: it says that their session has ended. */
export const loginPath = (isEnded: boolean): string => {
  const { hash, pathname, search } = window.location
  const here = `${pathname}${search}${hash}`
  const query = new URLSearchParams({ ...(here !== "/" && { next: here }), ...(isEnded && { ended: "" }) }).toString()
  return query === "" ? "/login" : `/login?${query}`
}

/** What a page is given. */
export interface PageProps {
  /** The parts of the path that the route names, such as `id` in `/posts/:id`. */
  readonly params: Readonly<Record<string, string>>
}

export interface LinkProps {
  readonly href: string
  readonly class?: string
  readonly children: ComponentChildren
  readonly title?: string
  readonly "aria-current"?: "page" | undefined
  readonly "aria-label"?: string
}

/** A link to a page of the dashboard, which loads no document. With a modifier key it is the browser's. */
export const Link = ({ children, href, ...rest }: LinkProps) => (
  <a
    href={href}
    onClick={(event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      navigate(href)
    }}
    {...rest}
  >
    {children}
  </a>
)
