import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { isResponse, request } from "./client.ts"
import type { Failure, Outcome } from "./errors.ts"

/** A GET of the API, with the type of its response. */
export interface Query<A> {
  readonly path: string
  /** Never there: carries the type alone. */
  readonly response?: A
}

export const query = <A>(path: string): Query<A> => ({ path })

interface Entry {
  data: unknown
  error: Failure | undefined
  /** In milliseconds since 1970; 0 before the first response. */
  loadedAt: number
  loading: Promise<void> | undefined
  /** Whether it changed while it was loading, so that the response may be older than the change. */
  isOutdated: boolean
  /** Whether it is a further page of a list, which is loaded again once the pages before it have changed. */
  isFurther: boolean
  readonly listeners: Set<() => void>
}

/** Beyond it, what nobody shows is dropped, the oldest first. */
const maxEntries = 200
/** In milliseconds. Fresher data is not loaded again when the window gets the focus. */
const freshMillis = 3000

const entries = new Map<string, Entry>()

const drop = () => {
  for (const [path, entry] of entries) {
    if (entries.size <= maxEntries) return
    if (entry.listeners.size === 0) entries.delete(path)
  }
}

const entryOf = (path: string): Entry => {
  const known = entries.get(path)
  if (known !== undefined) return known
  const entry: Entry = {
    data: undefined,
    error: undefined,
    loadedAt: 0,
    loading: undefined,
    isOutdated: false,
    isFurther: false,
    listeners: new Set()
  }
  entries.set(path, entry)
  drop()
  return entry
}

const notify = (entry: Entry) => {
  for (const listener of Array.from(entry.listeners)) listener()
}

const load = (path: string): Promise<void> => {
  const entry = entryOf(path)
  if (entry.loading !== undefined) return entry.loading
  const run = async () => {
    const outcome = await request<unknown>("GET", path)
    entry.loading = undefined
    if (entry.isOutdated) {
      entry.isOutdated = false
      return load(path)
    }
    entry.error = outcome.ok ? undefined : outcome.error
    if (outcome.ok) {
      entry.data = outcome.data
      entry.loadedAt = Date.now()
    }
    notify(entry)
    return undefined
  }
  entry.loading = run()
  return entry.loading
}

const isUnder = (path: string, prefix: string) =>
  path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)

/** Loads again what is shown of these paths and of all under them, and forgets what is not shown. */
export const invalidate = (...prefixes: ReadonlyArray<string>) => {
  for (const [path, entry] of Array.from(entries)) {
    if (!prefixes.some((prefix) => isUnder(path, prefix))) continue
    if (entry.listeners.size === 0) entries.delete(path)
    else if (entry.loading === undefined) void load(path)
    else entry.isOutdated = true
  }
}

/** Loads again all that is shown, as after the connection is back. */
export const refetchAll = () => {
  for (const [path, entry] of Array.from(entries)) if (entry.listeners.size > 0) void load(path)
}

/** Forgets everything, as for another person or workspace. */
export const clearQueries = () => {
  for (const [path, entry] of Array.from(entries)) {
    entry.data = undefined
    entry.error = undefined
    entry.loadedAt = 0
    if (entry.listeners.size === 0) entries.delete(path)
  }
}

const refetchStale = () => {
  if (document.visibilityState !== "visible") return
  for (const [path, entry] of Array.from(entries)) {
    const isStale = !entry.isFurther && Date.now() - entry.loadedAt > freshMillis
    if (entry.listeners.size > 0 && isStale) void load(path)
  }
}

window.addEventListener("focus", refetchStale)
document.addEventListener("visibilitychange", refetchStale)
window.addEventListener("online", refetchAll)

/** What is known of it. Only shown data is kept up to date. */
export const readData = <A>(one: Query<A>): A | undefined => {
  const data = entries.get(one.path)?.data
  return isResponse<A>(data) ? data : undefined
}

/** Changes what is shown before the service has answered. Returns how to take it back. */
export const setData = <A>(one: Query<A>, change: (data: A) => A): (() => void) => {
  const entry = entryOf(one.path)
  const before = readData(one)
  if (before === undefined) return () => undefined
  entry.data = change(before)
  notify(entry)
  return () => {
    entry.data = before
    notify(entry)
  }
}

export interface QueryState<A> {
  readonly data: A | undefined
  /** Of the last attempt; `data` may still be there from before. */
  readonly error: Failure | undefined
  /** Whether there is neither data nor an error yet. */
  readonly isLoading: boolean
  readonly refetch: () => void
}

export interface QueryOptions {
  /** Loads again so often while the page is visible, in milliseconds. */
  readonly every?: number
}

/** Loads what is shown, and renders when it changes. Paths that stay are not loaded again. Those after the first are further pages of it. */
const useEntries = (paths: ReadonlyArray<string>) => {
  const [, render] = useState(0)
  const shown = useRef<ReadonlySet<string>>(new Set())
  const listener = useCallback(() => {
    render((count) => count + 1)
  }, [])
  useEffect(() => {
    const added = paths.filter((path) => !shown.current.has(path))
    for (const path of added) {
      const entry = entryOf(path)
      entry.isFurther = path !== paths[0]
      entry.listeners.add(listener)
    }
    for (const path of shown.current) if (!paths.includes(path)) entries.get(path)?.listeners.delete(listener)
    shown.current = new Set(paths)
    for (const path of added) void load(path)
  }, [paths.join("\n")])
  useEffect(
    () => () => {
      for (const path of shown.current) entries.get(path)?.listeners.delete(listener)
    },
    []
  )
}

const usePolling = (path: string | undefined, every: number | undefined) => {
  useEffect(() => {
    if (path === undefined || every === undefined) return
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void load(path)
    }, every)
    return () => {
      clearInterval(timer)
    }
  }, [path, every])
}

const stateOf = <A>(one: Query<A> | undefined): QueryState<A> => {
  const data = one === undefined ? undefined : readData(one)
  const error = one === undefined ? undefined : entries.get(one.path)?.error
  return {
    data,
    error,
    isLoading: data === undefined && error === undefined,
    refetch: () => {
      if (one !== undefined) void load(one.path)
    }
  }
}

/**
 * What the API says, loaded at once, again when the window gets the focus, and after changes (`invalidate`). Shows what is
 * known already meanwhile. Does nothing for an undefined query.
 */
export const useQuery = <A>(one: Query<A> | undefined, { every }: QueryOptions = {}): QueryState<A> => {
  useEntries(one === undefined ? [] : [one.path])
  usePolling(one?.path, every)
  return stateOf(one)
}

/** The pages of a list, of which the first is loaded again by itself, like any query, and the further ones after changes. */
export const usePageQueries = <A>(
  pages: readonly [Query<A>, ...ReadonlyArray<Query<A>>],
  { every }: QueryOptions
): ReadonlyArray<QueryState<A>> => {
  useEntries(pages.map(({ path }) => path))
  usePolling(pages[0].path, every)
  return pages.map((page) => stateOf(page))
}

export interface Mutation<Input, A> {
  /** Never throws. */
  readonly run: (input: Input) => Promise<Outcome<A>>
  readonly isPending: boolean
  /** Of the last run. */
  readonly error: Failure | undefined
  readonly reset: () => void
}

/** Something that changes data. What is shown of `invalidates` is loaded again after it, also where it failed. */
export const useMutation = <Input, A>(
  change: (input: Input) => Promise<Outcome<A>>,
  { invalidates = [] }: { readonly invalidates?: ReadonlyArray<string> } = {}
): Mutation<Input, A> => {
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<Failure>()
  return {
    run: async (input) => {
      setPending(true)
      setError(undefined)
      const outcome = await change(input)
      setPending(false)
      if (!outcome.ok) setError(outcome.error)
      invalidate(...invalidates)
      return outcome
    },
    isPending,
    error,
    reset: () => {
      setError(undefined)
    }
  }
}
