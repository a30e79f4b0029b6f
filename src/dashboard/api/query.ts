import { focusManager, QueriesObserver, QueryClient } from "@tanstack/query-core"
import { useEffect, useState } from "preact/hooks"
import { isResponse, request } from "./client.ts"
import { onConnected } from "./connection.ts"
import type { Failure, Outcome } from "./errors.ts"

/** A GET of the API, with the type of its response. */
export interface Query<A> {
  readonly path: string
  /** A member that is never there, which carries the type. */
  readonly response?: A
}

export const query = <A>(path: string): Query<A> => ({ path })

/** What is known of a path. A load that fails leaves the data from before. */
interface Loaded {
  readonly data: unknown
  readonly error: Failure | undefined
}

const nothing: Loaded = { data: undefined, error: undefined }

/** Data that is fresher, in milliseconds, is not loaded again when the window gets the focus, unless the last load failed. */
const freshFor = 3000

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What has data is loaded anew where it is invalidated while it loads: what is on its way may be older than the change.
      initialData: nothing,
      initialDataUpdatedAt: 0,
      // The client of the API never throws, and finds out by itself whether the service can be reached.
      networkMode: "always",
      retry: false,
      // What nobody shows is kept so long, in milliseconds, to be shown at once when a person comes back to it.
      gcTime: 3_600_000,
      refetchOnMount: "always",
      refetchOnReconnect: false,
      notifyOnChangeProps: ["data"],
      // The calendar tells by the identity of what was loaded whether it is newer than a change.
      structuralSharing: false
    }
  }
})
client.mount()

// The library by itself follows only whether the page is visible.
focusManager.setEventListener((onFocus) => {
  const follow = () => {
    onFocus()
  }
  window.addEventListener("focus", follow)
  document.addEventListener("visibilitychange", follow)
  return undefined
})

const loadedOf = (path: string): Loaded => client.getQueryData<Loaded>([path]) ?? nothing

const load = async (path: string): Promise<Loaded> => {
  const outcome = await request<unknown>("GET", path)
  return outcome.ok ? { data: outcome.data, error: undefined } : { data: loadedOf(path).data, error: outcome.error }
}

const isUnder = (path: string, prefix: string) =>
  path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)

/** Loads again what is shown of these paths and of all under them, and forgets what is not shown. */
export const invalidate = (...prefixes: ReadonlyArray<string>) => {
  const predicate = ({ queryKey: [path] }: { readonly queryKey: ReadonlyArray<unknown> }) =>
    typeof path === "string" && prefixes.some((prefix) => isUnder(path, prefix))
  client.removeQueries({ predicate, type: "inactive" })
  void client.invalidateQueries({ predicate })
}

/** Loads again all that is shown, as after the connection is back. */
export const refetchAll = () => {
  void client.refetchQueries({ type: "active" }, { cancelRefetch: false })
}

// The library by itself reloads only where it has seen the connection go.
window.addEventListener("online", refetchAll)

const isLost = ({ queryKey: [path] }: { readonly queryKey: ReadonlyArray<unknown> }) =>
  typeof path === "string" && loadedOf(path).error?._tag === "ConnectionError"

// The response that shows it may be that of another path, and nothing else tries those that failed before it. A failure that
// was reported just now is stored by the next task.
onConnected(() => {
  setTimeout(() => client.refetchQueries({ type: "active", predicate: isLost }, { cancelRefetch: false }))
})

/** Forgets everything, as for another person or workspace. */
export const clearQueries = () => {
  client.removeQueries({ type: "inactive" })
  client.setQueriesData<Loaded>({ type: "active" }, () => nothing, { updatedAt: 0 })
}

/** What is known of a query's data. Only shown data is kept up to date. */
export const readData = <A>(one: Query<A>): A | undefined => {
  const { data } = loadedOf(one.path)
  return isResponse<A>(data) ? data : undefined
}

/** Shows what the service has responded elsewhere. */
export const setData = <A>(one: Query<A>, data: A) => {
  client.setQueryData<Loaded>([one.path], { data, error: undefined })
}

export interface QueryState<A> {
  readonly data: A | undefined
  /** Why the last attempt failed; `data` may still be there from before. */
  readonly error: Failure | undefined
  /** Whether there is neither data nor an error yet. */
  readonly isLoading: boolean
  readonly refetch: () => void
}

export interface QueryOptions {
  /** Loads again so often while the page is visible, in milliseconds. */
  readonly every?: number
}

/**
 * Loads what is shown, and renders when it changes. Paths that stay are not loaded again. Paths after the first are further pages
 * of it.
 */
const useEntries = (paths: ReadonlyArray<string>, every = 0) => {
  const [, render] = useState(0)
  const [observer] = useState(() => new QueriesObserver<ReadonlyArray<unknown>>(client, []))
  useEffect(
    () =>
      observer.subscribe(() => {
        render((count) => count + 1)
      }),
    [observer]
  )
  useEffect(() => {
    observer.setQueries(
      paths.map((path, index) => ({
        queryKey: [path],
        queryFn: () => load(path),
        staleTime: () => (loadedOf(path).error === undefined ? freshFor : 0),
        refetchInterval: index === 0 && every > 0 && every,
        refetchOnWindowFocus: index === 0
      }))
    )
  }, [observer, paths.join("\n"), every])
}

const stateOf = <A>(one: Query<A> | undefined): QueryState<A> => {
  const data = one === undefined ? undefined : readData(one)
  const error = one === undefined ? undefined : loadedOf(one.path).error
  return {
    data,
    error,
    isLoading: data === undefined && error === undefined,
    refetch: () => {
      if (one !== undefined) void client.refetchQueries({ queryKey: [one.path] }, { cancelRefetch: false })
    }
  }
}

/**
 * What the API says, loaded at once, again when the window gets the focus, and after changes (`invalidate`). Shows what is
 * known already meanwhile. Does nothing for an undefined query.
 */
export const useQuery = <A>(one: Query<A> | undefined, { every }: QueryOptions = {}): QueryState<A> => {
  useEntries(one === undefined ? [] : [one.path], every)
  return stateOf(one)
}

/** The pages of a list, of which the first is loaded again by itself, like any query, and the further ones after changes. */
export const usePageQueries = <A>(
  pages: ReadonlyArray<Query<A>>,
  { every }: QueryOptions
): ReadonlyArray<QueryState<A>> => {
  useEntries(
    pages.map(({ path }) => path),
    every
  )
  return pages.map((page) => stateOf(page))
}

export interface Mutation<Input, A> {
  /** Never throws. */
  readonly run: (input: Input) => Promise<Outcome<A>>
  readonly isPending: boolean
  /** Why the last run failed. */
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
