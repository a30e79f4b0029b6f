import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { usePages } from "../../api/pages.ts"
import { type PostJson, postPage } from "../../api/posts.ts"
import { invalidate } from "../../api/query.ts"
import { alreadyThere, type Job, nameCount } from "../../shared/actions/action.ts"
import { moveTo } from "../../shared/actions/move.ts"
import { sayRefusal, send } from "../../shared/actions/send.ts"
import { fitsFilters, type SharedFilters } from "../../shared/filters/filters.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { type Change, groupByDay, isIn, withChanges } from "./calendarPosts.ts"
import { useFreeSlots } from "./useFreeSlots.ts"
import type { Block } from "./weeks.ts"

/** Milliseconds. Reloads show which posts have been published. */
const refreshEvery = 60_000
const pageLimit = 1000
/** A larger page may end early, because the service limits its bytes to 4 MB. */
const draftLimit = 200

const useBlock = (blocks: ReadonlyArray<Block>, slot: number) => {
  const block = blocks.find((each) => each.slot === slot)
  const pages = usePages(
    block &&
      postPage({
        scheduled_from: block.from.toISOString(),
        scheduled_to: block.to.toISOString(),
        sort: "scheduled_at",
        order: "asc",
        limit: pageLimit
      }),
    { every: refreshEvery }
  )
  useEffect(pages.loadMore)
  return { block, pages }
}

/** A block that is still needed keeps its posts while others load. */
const useBlocks = (blocks: ReadonlyArray<Block>) => {
  // One hook for each of the `maxBlocks` slots.
  const all = [useBlock(blocks, 0), useBlock(blocks, 1), useBlock(blocks, 2)]
  const loaded = all.map(({ pages }) => pages.items)
  const items = useMemo(() => loaded.flatMap((posts) => posts ?? []), loaded)
  return {
    items,
    loading: all.flatMap(({ block, pages }) => (block !== undefined && pages.isLoading ? [block] : [])),
    error: all.map(({ pages }) => pages.error ?? pages.moreError).find((error) => error !== undefined),
    refetch: () => {
      for (const { block, pages } of all) if (block !== undefined) pages.refetch()
    }
  }
}

interface Move {
  readonly scheduled_at: string | null
  /** Undefined if it stays. */
  readonly status?: "draft" | "scheduled"
}

/** Sends a post's moves one at a time. A move during a request replaces the one that waits. */
const useMoves = (put: (post: PostJson, isPending: boolean) => void, drop: (id: string) => void) => {
  const wanted = useRef(new Map<string, Move>())
  /** Returns undefined if the change was refused, or if a request in progress will send it. */
  const change = async (post: PostJson, to: Move): Promise<PostJson | undefined> => {
    const { id } = post
    const isUnderWay = wanted.current.has(id)
    wanted.current.set(id, to)
    put({ ...post, ...to }, true)
    if (isUnderWay) return undefined
    let current = post
    for (let target: Move | undefined = to; target !== undefined;) {
      const job: Job = { post: current, request: { kind: "change", body: target } }
      const outcome = await send(job)
      if (!outcome.ok) {
        wanted.current.delete(id)
        drop(id)
        sayRefusal(job, outcome)
        invalidate("/v1/posts")
        return undefined
      }
      current = outcome.data ?? current
      const next: Move | undefined = wanted.current.get(id)
      target = next === target ? undefined : next
    }
    wanted.current.delete(id)
    put(current, false)
    invalidate("/v1/posts")
    return current
  }

  const move = async (post: PostJson, to: Date | null) => {
    const choice = moveTo(to)
    const request = choice.request(post, new Date())
    if (typeof request === "string") {
      if (request !== alreadyThere) toast(request, { tone: "error", about: post.id })
      return
    }
    const moved = await change(post, { scheduled_at: to === null ? null : to.toISOString() })
    if (moved === undefined) return
    toast(choice.done(nameCount(1), { before: post, after: moved }), {
      tone: "success",
      about: post.id,
      action: { label: "Undo", run: () => void change(moved, { scheduled_at: post.scheduled_at }) }
    })
  }
  /** Takes the time of a scheduled post. */
  const makeDraft = async (post: PostJson) => {
    const draft = await change(post, { scheduled_at: null, status: "draft" })
    if (draft === undefined) return
    const back = { scheduled_at: post.scheduled_at, status: "scheduled" } as const
    toast("It is a draft without a time now", {
      tone: "success",
      about: post.id,
      action: { label: "Undo", run: () => void change(draft, back) }
    })
  }
  return { move, makeDraft }
}

export const useCalendarPosts = (blocks: ReadonlyArray<Block>, filters: SharedFilters) => {
  const scheduled = useBlocks(blocks)
  const drafts = usePages(postPage({ time: "none", limit: draftLimit }))
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map())

  const { items, loading } = scheduled
  const loadedRef = useRef(items)
  loadedRef.current = items
  const put = (post: PostJson, isPending: boolean) =>
    setChanges((before) => new Map(before).set(post.id, { post, isPending, loaded: loadedRef.current }))
  const { makeDraft, move } = useMoves(put, (id) =>
    setChanges((before) => new Map(Array.from(before).filter(([other]) => other !== id)))
  )
  const posts = useMemo(
    () => withChanges([...(drafts.items ?? []), ...items], changes, items),
    [items, drafts.items, changes]
  )
  const loadedBlocks = useMemo(
    () => blocks.filter((block) => !loading.includes(block)),
    [blocks, loading.map(({ slot }) => slot).join(",")]
  )
  const { by, platform, status, tag } = filters
  const shown = useMemo(
    () => Array.from(posts.values()).filter((post) => fitsFilters(post, filters)),
    [posts, by, platform, status, tag]
  )
  const byDay = useMemo(() => groupByDay(shown, blocks), [shown, blocks])
  return {
    /** The free slots of each day by its `dayKey`, the earliest first. */
    free: useFreeSlots(blocks),
    /** The posts of each day by its `dayKey`, ordered by time. */
    byDay,
    count: Array.from(byDay.values()).reduce((sum, { length }) => sum + length, 0),
    /** All loaded posts, even if filters hide them. */
    all: posts,
    drafts: shown.filter(({ scheduled_at: at, status: is }) => at === null && is === "draft"),
    hasMoreDrafts: drafts.hasMore,
    loadMoreDrafts: drafts.loadMore,
    isLoading: loading.length > 0,
    loadedBlocks,
    isLoadingDay: (day: Date) => isIn(day, loading),
    error: scheduled.error ?? drafts.error ?? drafts.moreError,
    refetch: () => {
      scheduled.refetch()
      drafts.refetch()
    },
    find: (id: string) => posts.get(id),
    /** If the service refuses, the post returns and a toast gives the reason. */
    move: (post: PostJson, to: Date | null) => void move(post, to),
    makeDraft: (post: PostJson) => void makeDraft(post),
    /** Shows posts as the service has them after a change. */
    show: (changed: ReadonlyArray<PostJson>) => {
      for (const post of changed) put(post, false)
    }
  }
}

export type CalendarPosts = ReturnType<typeof useCalendarPosts>
