import type { ComponentChildren } from "preact"
import { makeStore, useStore } from "../ui/store.ts"

export interface Location {
  readonly path: string
  readonly query: URLSearchParams
  /** Without `#`. */
  readonly fragment: string
}

const readLocation = (): Location => ({
  path: window.location.pathname,
  query: new URLSearchParams(window.location.search),
  fragment: window.location.hash.slice(1)
})

const location = makeStore(readLocation())

window.addEventListener("popstate", () => {
  location.set(readLocation())
})

/** Goes to a path of the dashboard, with query. */
export const navigate = (to: string, { replace = false }: { readonly replace?: boolean } = {}) => {
  if (replace) window.history.replaceState(null, "", to)
  else {
    window.history.pushState(null, "", to)
    window.scrollTo(0, 0)
  }
  location.set(readLocation())
}

export const useLocation = (): Location => useStore(location)

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

/** The path of the log-in page, which leads back to where the person is. */
export const loginPath = (): string => {
  const { hash, pathname, search } = window.location
  const here = `${pathname}${search}${hash}`
  return here === "/" ? "/login" : `/login?next=${encodeURIComponent(here)}`
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

/** The parameters of a path that has a pattern's form, such as `/posts/:id`, or undefined. */
export const matchPath = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const expected = pattern.split("/")
  const actual = (path === "/" ? path : path.replace(/\/$/, "")).split("/")
  if (expected.length !== actual.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? ""
    if (part.startsWith(":") && value !== "") params[part.slice(1)] = value
    else if (part !== value) return undefined
  }
  return params
}
