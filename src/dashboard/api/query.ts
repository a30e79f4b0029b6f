import { focusManager, QueriesObserver, QueryClient } from "@tanstack/query-core"
import { useEffect, useState } from "preact/hooks"
import { isResponse, request } from "./client.ts"
import { onConnected } from "./connection.ts"
import { type Failure, isUnconfirmed, type Outcome } from "./errors.ts"

export interface Query<A> {
  readonly path: string
  /** Never set; only carries the type of the response. */
  readonly response?: A
}

export const query = <A>(path: string): Query<A> => ({ path })

/** Keeps earlier data if a load fails. */
interface Loaded {
  readonly data: unknown
  readonly error: Failure | undefined
}

const nothing: Loaded = { data: undefined, error: undefined }

/** Milliseconds between repetitions of a load that the service failed. */
const retryEvery = 5000

/** Milliseconds. A window that gets the focus reloads older data, and data whose last load failed. */
const freshOnFocus = 3000

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // With initial data, an invalidation repeats a load in flight, whose response may be older than the change.
      initialData: nothing,
      initialDataUpdatedAt: 0,
      // The API client never throws, and detects lost connections itself.
      networkMode: "always",
      retry: false,
      // An hour, so that a page that is opened again shows its data immediately.
      gcTime: 3_600_000,
      refetchOnMount: "always",
      refetchOnReconnect: false,
      notifyOnChangeProps: ["data"],
      // The calendar compares objects to find out if loaded data is newer than a change.
      structuralSharing: false
    }
  }
})
client.mount()

// Reloads on focus too. By default, the library only follows the page's visibility.
focusManager.setEventListener((onFocus) => {
  const follow = () => onFocus()
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

const isFailure = (path: string): boolean => {
  const { error } = loadedOf(path)
  return error !== undefined && isUnconfirmed(error)
}

/** Posts take slots, and the outlook checks posts and accounts. */
const dependents: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/v1/posts": ["/v1/queue/slots", "/v1/queue/next", "/v1/outlook"],
  "/v1/integrations": ["/v1/outlook"]
}

/** Reloads data under these paths that is shown, and drops the rest. */
export const invalidate = (...changed: ReadonlyArray<string>) => {
  const prefixes = changed.flatMap((path) => [path, ...(dependents[path] ?? [])])
  const predicate = ({ queryKey: [path] }: { readonly queryKey: ReadonlyArray<unknown> }) =>
    typeof path === "string" && prefixes.some((prefix) => isUnder(path, prefix))
  client.removeQueries({ predicate, type: "inactive" })
  void client.invalidateQueries({ predicate })
}

export const refetchAll = () => void client.refetchQueries({ type: "active" }, { cancelRefetch: false })

// Reloads everything, because the library does so only if it saw the connection drop.
window.addEventListener("online", refetchAll)

const isLost = ({ queryKey: [path] }: { readonly queryKey: ReadonlyArray<unknown> }) =>
  typeof path === "string" && loadedOf(path).error?._tag === "ConnectionError"

// Repeats loads that failed without a connection, because nothing else does, and the request that succeeded may have
// been for another path. The timeout lets the latest failure be stored first.
onConnected(() =>
  setTimeout(() => client.refetchQueries({ type: "active", predicate: isLost }, { cancelRefetch: false }))
)

export const clearQueries = () => {
  client.removeQueries({ type: "inactive" })
  client.setQueriesData<Loaded>({ type: "active" }, () => nothing, { updatedAt: 0 })
}

/** Kept current only while it is shown. */
export const readData = <A>(one: Query<A>): A | undefined => {
  const { data } = loadedOf(one.path)
  return isResponse<A>(data) ? data : undefined
}

export const setData = <A>(one: Query<A>, data: A) =>
  client.setQueryData<Loaded>([one.path], { data, error: undefined })

export interface QueryState<A> {
  readonly data: A | undefined
  /** The error of the last load. `data` may be from an earlier one. */
  readonly error: Failure | undefined
  readonly isLoading: boolean
  readonly refetch: () => void
}

export interface QueryOptions {
  /** Milliseconds between reloads while the page is visible. */
  readonly every?: number
  /** Milliseconds. Younger data is shown without a reload, even if the component is new; by default, never. */
  readonly freshFor?: number
}

/**
 * Loads the paths that are shown, except those that were already shown. Paths after the first are further pages of a
 * list.
 */
const useEntries = (paths: ReadonlyArray<string>, { every = 0, freshFor = 0 }: QueryOptions) => {
  const [, render] = useState(0)
  const [observer] = useState(() => new QueriesObserver<ReadonlyArray<unknown>>(client, []))
  useEffect(() => observer.subscribe(() => render((count) => count + 1)), [observer])
  useEffect(() => {
    observer.setQueries(
      paths.map((path, index) => ({
        queryKey: [path],
        queryFn: () => load(path),
        staleTime: () => (loadedOf(path).error === undefined ? Math.max(freshOnFocus, freshFor) : 0),
        ...(freshFor > 0 && { refetchOnMount: true }),
        // Nothing says when a failed service works again.
        refetchInterval: () => (isFailure(path) ? retryEvery : index === 0 && every > 0 && every),
        refetchOnWindowFocus: index === 0
      }))
    )
  }, [observer, paths.join("\n"), every, freshFor])
}

/** Settles once the data, or the error, is known. */
export const reload = ({ path }: Query<unknown>): Promise<void> =>
  client.refetchQueries({ queryKey: [path] }, { cancelRefetch: false })

const stateOf = <A>(one: Query<A> | undefined): QueryState<A> => {
  const data = one === undefined ? undefined : readData(one)
  const error = one === undefined ? undefined : loadedOf(one.path).error
  return {
    data,
    error,
    isLoading: data === undefined && error === undefined,
    refetch: () => {
      if (one !== undefined) void reload(one)
    }
  }
}

/**
 * Loads immediately, when the window gets the focus, and after `invalidate`. Meanwhile shows data that is known. Does
 * nothing if the query is undefined.
 */
export const useQuery = <A>(one: Query<A> | undefined, options: QueryOptions = {}): QueryState<A> => {
  useEntries(one === undefined ? [] : [one.path], options)
  return stateOf(one)
}

/** Reloads the first page like any query, the others only after changes. */
export const usePageQueries = <A>(
  pages: ReadonlyArray<Query<A>>,
  options: QueryOptions
): ReadonlyArray<QueryState<A>> => {
  const paths = pages.map(({ path }) => path)
  useEntries(paths, options)
  return pages.map((page) => stateOf(page))
}

export interface Mutation<Input, A> {
  /** Never throws. */
  readonly run: (input: Input) => Promise<Outcome<A>>
  readonly isPending: boolean
  readonly error: Failure | undefined
  readonly reset: () => void
}

/** After the change, even a failed one, shown data under the paths in `invalidates` is reloaded. */
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
    reset: () => setError(undefined)
  }
}
