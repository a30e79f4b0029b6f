import { useMemo, useRef, useState } from "preact/hooks"
import type { Failure } from "./errors.ts"
import { type Query, query, type QueryOptions, readData, usePageQueries } from "./query.ts"

export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_cursor: string | null
}

export interface PagesState<Item> {
  readonly items: ReadonlyArray<Item> | undefined
  readonly error: Failure | undefined
  /** The error of a page after the first. No more are loaded until `refetch`. */
  readonly moreError: Failure | undefined
  readonly isLoading: boolean
  readonly isLoadingMore: boolean
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly refetch: () => void
}

const withCursor = (path: string, cursor: string) =>
  `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`

const chainOf = <Item>(one: Query<Page<Item>> | undefined, count: number): ReadonlyArray<Query<Page<Item>>> => {
  if (one === undefined) return []
  const further: Array<Query<Page<Item>>> = []
  let cursor = readData(one)?.next_cursor
  while (further.length < count - 1 && typeof cursor === "string") {
    const page = query<Page<Item>>(withCursor(one.path, cursor))
    further.push(page)
    cursor = readData(page)?.next_cursor
  }
  return [one, ...further]
}

const isSame = <A>(left: ReadonlyArray<A>, right: ReadonlyArray<A>): boolean =>
  left.length === right.length && left.every((value, index) => value === right[index])

interface Held<Item> {
  readonly path: string | undefined
  readonly pages: ReadonlyArray<Page<Item>>
}

/**
 * Loads further pages on request. All pages are reloaded after changes. If the last item of a page changes, the pages
 * after it are loaded from its new end. Does nothing if the query is undefined.
 */
export const usePages = <Item extends { readonly id: string }>(
  one: Query<Page<Item>> | undefined,
  { every }: QueryOptions = {}
): PagesState<Item> => {
  const path = one?.path
  const [wanted, setWanted] = useState({ path, count: 1 })
  const count = wanted.path === path ? wanted.count : 1
  // The more pages are reloaded, the longer the interval.
  const states = usePageQueries(chainOf(one, count), every === undefined ? {} : { every: every * count })

  const held = useRef<Held<Item>>({ path, pages: [] })
  const before = held.current.path === path ? held.current.pages : []
  const known: Array<Page<Item>> = []
  const most = one === undefined ? 0 : count
  while (known.length < most && known.at(-1)?.next_cursor !== null) {
    // The earlier page stays until the page with the new cursor has loaded.
    const page = states[known.length]?.data ?? before[known.length]
    if (page === undefined) break
    known.push(page)
  }
  const pages = isSame(known, before) ? before : known
  held.current = { path, pages }

  const items = useMemo(() => {
    const [first, ...further] = pages
    if (first === undefined || further.length === 0) return first?.data
    // Repeated items are left out, because an item that moved between pages would appear twice.
    const byId = new Map<string, Item>()
    for (const { data } of pages) for (const item of data) if (!byId.has(item.id)) byId.set(item.id, item)
    return Array.from(byId.values())
  }, [pages])
  const hasMore = typeof pages.at(-1)?.next_cursor === "string"
  const error = states[0]?.error
  const moreError = states.slice(1).find((state) => state.error !== undefined)?.error
  const isLoadingMore = pages.length > 0 && pages.length < count && hasMore && moreError === undefined
  return {
    items,
    error,
    moreError,
    isLoading: one !== undefined && pages.length === 0 && error === undefined,
    isLoadingMore,
    hasMore,
    loadMore: () => {
      if (!hasMore || isLoadingMore || error !== undefined || moreError !== undefined) return
      setWanted({ path, count: pages.length + 1 })
    },
    refetch: () => {
      const failed = states.filter((state) => state.error !== undefined)
      for (const { refetch } of failed.length === 0 ? states.slice(0, 1) : failed) refetch()
    }
  }
}
