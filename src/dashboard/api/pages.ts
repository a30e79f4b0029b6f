import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { request } from "./client.ts"
import type { Failure } from "./errors.ts"
import { type Query, type QueryOptions, useQuery } from "./query.ts"

export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_cursor: string | null
}

export interface PagesState<Item> {
  readonly items: ReadonlyArray<Item> | undefined
  readonly error: Failure | undefined
  readonly isLoading: boolean
  readonly isLoadingMore: boolean
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly refetch: () => void
}

interface Rest<Item> {
  readonly path: string
  readonly items: ReadonlyArray<Item>
  readonly next: string | null
}

const withCursor = (path: string, cursor: string) =>
  `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`

/** A list that goes on by cursors: the first page is a query like any other, the rest is loaded on request. */
export const usePages = <Item extends { readonly id: string }>(
  one: Query<Page<Item>>,
  options: QueryOptions = {}
): PagesState<Item> => {
  const first = useQuery(one, options)
  const [rest, setRest] = useState<Rest<Item>>()
  const [error, setError] = useState<Failure>()
  const [isLoadingMore, setLoadingMore] = useState(false)
  const current = useRef(one.path)
  useEffect(() => {
    current.current = one.path
    setRest(undefined)
    setError(undefined)
  }, [one.path])

  const known = rest?.path === one.path ? rest : undefined
  const next = known === undefined ? first.data?.next_cursor : known.next
  const loadMore = async () => {
    if (next === null || next === undefined || isLoadingMore) return
    setLoadingMore(true)
    const outcome = await request<Page<Item>>("GET", withCursor(one.path, next))
    setLoadingMore(false)
    if (current.current !== one.path) return
    if (!outcome.ok) {
      setError(outcome.error)
      return
    }
    setError(undefined)
    setRest({
      path: one.path,
      items: [...(known?.items ?? []), ...outcome.data.data],
      next: outcome.data.next_cursor
    })
  }

  const firstItems = first.data?.data
  const restItems = known?.items
  const items = useMemo(() => {
    if (firstItems === undefined || restItems === undefined) return firstItems
    const seen = new Set(firstItems.map(({ id }) => id))
    // What moved between pages meanwhile would be there twice.
    return [...firstItems, ...restItems.filter(({ id }) => !seen.has(id))]
  }, [firstItems, restItems])
  return {
    items,
    error: first.error ?? error,
    isLoading: first.isLoading,
    isLoadingMore,
    hasMore: next !== null && next !== undefined,
    loadMore: () => void loadMore(),
    refetch: first.refetch
  }
}
