import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { makeStore } from "../store/makeStore.ts"
import { useStore } from "../store/useStore.ts"
import { closeNewestDialog, onDialogOpened } from "../ui/dialogs/openDialogs.ts"

export interface Location {
  readonly path: string
  readonly query: URLSearchParams
  readonly fragment: string
}

const readLocation = (): Location => ({
  path: window.location.pathname,
  query: new URLSearchParams(window.location.search),
  fragment: window.location.hash.slice(1)
})

const location = makeStore(readLocation())

/** Resolves with true if the person agrees to leave the page. */
export type LeaveGuard = (to: URL) => Promise<boolean>

let guard: LeaveGuard | undefined

/** The shown page's address. After Back, the browser already has the other address while the guard asks. */
let shown = window.location.href
let shownState: unknown = window.history.state

const show = () => {
  shown = window.location.href
  shownState = window.history.state
  location.set(readLocation())
}

const stay = () => window.history.pushState(shownState, "", shown)

const recordOf = (state: unknown): object => (typeof state === "object" && state !== null ? state : {})

const memberOf = (state: unknown, name: "below" | "dialog"): unknown =>
  new Map<string, unknown>(Object.entries(recordOf(state))).get(name)

// A dialog is a step in the history, so that Back closes it. The step stays if the dialog is closed otherwise, and the
// next Back passes it.
onDialogOpened((areOthersOpen) => {
  if (!areOthersOpen && memberOf(window.history.state, "dialog") !== undefined) return
  const step = crypto.randomUUID()
  const here = recordOf(window.history.state)
  const own = Object.fromEntries(Object.entries(here).filter(([name]) => name !== "below"))
  window.history.replaceState({ ...own, below: step }, "", window.location.href)
  window.history.pushState({ ...own, dialog: step }, "", window.location.href)
  shownState = window.history.state
})

window.addEventListener("popstate", () => {
  const step = memberOf(shownState, "dialog")
  const dialog = closeNewestDialog()
  if (dialog === "kept") return stay()
  if (dialog === "closed") {
    window.history.replaceState(window.history.state, "", shown)
    shownState = window.history.state
    return
  }
  if (step !== undefined && memberOf(window.history.state, "below") === step) {
    shownState = window.history.state
    window.history.back()
    return
  }
  const ask = async (isLeft: LeaveGuard) => {
    if (await isLeft(new URL(window.location.href))) show()
    else if (window.location.href !== shown) stay()
  }
  if (guard === undefined) show()
  else void ask(guard)
})

interface NavigateOptions {
  readonly replace?: boolean
  readonly force?: boolean
}

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

/** The address before this step in the history. Undefined if this page was opened directly. */
export const cameFrom = (): string | undefined => {
  const state: unknown = window.history.state
  return typeof state === "object" && state !== null && "from" in state && typeof state.from === "string"
    ? state.from
    : undefined
}

/** Asks before the document is left, as at log-out. Keeps the guard, because the log-out may fail. */
export const mayLeave = async (): Promise<boolean> => guard === undefined || (await guard(new URL("/login", shown)))

const warn = (event: BeforeUnloadEvent) => event.preventDefault()

const setGuard = (asked: LeaveGuard) => {
  guard = asked
  window.addEventListener("beforeunload", warn)
}

/** Called once the person has decided to leave. Neither the page nor the browser asks again. */
export const dropGuard = () => {
  guard = undefined
  window.removeEventListener("beforeunload", warn)
}

/** Guards the page while it has unsaved text. The browser asks before the document is left. */
export const useLeaveGuard = (hasToLose: boolean, ask: LeaveGuard) => {
  const latest = useRef(ask)
  latest.current = ask
  // `useEffect` runs after the next frame. A step back before that would not be guarded.
  useLayoutEffect(() => {
    if (!hasToLose) return
    setGuard((to) => latest.current(to))
    return dropGuard
  }, [hasToLose])
}

export const useLocation = (): Location => useStore(location)

/** `listener` is called with each new path before its page is shown. */
export const followPath = (listener: (path: string) => void) => {
  let last = location.get().path
  return location.subscribe(() => {
    const { path } = location.get()
    if (path !== last) listener(path)
    last = path
  })
}

/** Undefined removes a parameter. With `replace: false`, Back returns to the query before. */
export const setQuery = (
  changes: Readonly<Record<string, string | undefined>>,
  { replace = true }: Pick<NavigateOptions, "replace"> = {}
) => {
  const query = new URLSearchParams(window.location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  if (text === new URLSearchParams(window.location.search).toString()) return
  navigate(text === "" ? window.location.pathname : `${window.location.pathname}?${text}`, { replace })
}

/** Removes parameters that `setQuery` has added. Goes back if that has been a step of its own, so that Back works. */
export const dropQuery = (...names: ReadonlyArray<string>) => {
  const here = new URL(shown)
  for (const name of names) here.searchParams.delete(name)
  if (cameFrom() === `${here.pathname}${here.search}${here.hash}`) window.history.back()
  else setQuery(Object.fromEntries(names.map((name) => [name, undefined])))
}

/** Each change of a filter is a step of its own in the history. */
export const querySetter = (changes: Parameters<typeof setQuery>[0]) => () => setQuery(changes, { replace: false })

/** A redirect's target, if it is a page of this service, and not `//host`, `/\host` or another scheme. */
export const safeTarget = (target: string | null): string => {
  if (target === null || !target.startsWith("/")) return "/"
  const url = URL.parse(target, window.location.origin)
  return url !== null && url.origin === window.location.origin && url.pathname !== "/login"
    ? `${url.pathname}${url.search}${url.hash}`
    : "/"
}

/** The log-in page returns to the current page. With `isEnded`, it says that the session has ended. */
export const loginPath = (isEnded: boolean): string => {
  const { hash, pathname, search } = window.location
  const here = `${pathname}${search}${hash}`
  const query = new URLSearchParams({ ...(here !== "/" && { next: here }), ...(isEnded && { ended: "" }) }).toString()
  return query === "" ? "/login" : `/login?${query}`
}

export interface PageProps {
  /** Such as `id` in `/posts/:id`. */
  readonly params: Readonly<Record<string, string>>
}

export interface LinkProps {
  readonly href: string
  readonly class?: string
  readonly children: ComponentChildren
  readonly title?: string
  readonly tabindex?: number
  readonly "aria-current"?: "page" | undefined
  readonly "aria-label"?: string
  /** Called first, even if the browser handles the click. */
  readonly onFollow?: () => void
}

/** Opens a page without loading a document. With a modifier key, the browser handles the click. */
export const Link = ({ children, href, onFollow, ...rest }: LinkProps) => (
  <a
    href={href}
    onClick={(event) => {
      onFollow?.()
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      navigate(href)
    }}
    {...rest}
  >
    {children}
  </a>
)
