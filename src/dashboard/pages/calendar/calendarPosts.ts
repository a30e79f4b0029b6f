import type { PostJson } from "../../api/postStatus.ts"
import { dayKey } from "../../ui/time/day.ts"
import type { Span } from "./range.ts"

/** A change made on this page that is newer than the loaded posts. */
export interface Change {
  readonly post: PostJson
  readonly isPending: boolean
  /** The posts that were loaded before the change. Later loads decide if the post still exists. */
  readonly loaded: ReadonlyArray<PostJson> | undefined
}

const byTime = (left: PostJson, right: PostJson): number =>
  (left.scheduled_at ?? "").localeCompare(right.scheduled_at ?? "") || left.id.localeCompare(right.id)

/** The loaded posts by id, with newer changes applied. `current` is compared with the `loaded` of each change. */
export const withChanges = (
  loaded: ReadonlyArray<PostJson>,
  changes: ReadonlyMap<string, Change>,
  current: ReadonlyArray<PostJson> | undefined
): ReadonlyMap<string, PostJson> => {
  const posts = new Map<string, PostJson>()
  for (const post of loaded) if ((posts.get(post.id)?.revision ?? 0) <= post.revision) posts.set(post.id, post)
  for (const [id, { isPending, loaded: before, post }] of changes) {
    const known = posts.get(id)
    const isNewer = known === undefined ? before === current : post.revision > known.revision
    if (isPending || isNewer) posts.set(id, post)
  }
  return posts
}

export const isIn = (time: Date, spans: ReadonlyArray<Span>): boolean =>
  spans.some(({ from, to }) => time >= from && time < to)

/** The posts of each day by its `dayKey`, ordered by time. */
export const groupByDay = (posts: Iterable<PostJson>, spans: ReadonlyArray<Span>) => {
  const inRange = Array.from(posts).filter(({ scheduled_at: at }) => at !== null && isIn(new Date(at), spans))
  return Map.groupBy(inRange.toSorted(byTime), ({ scheduled_at: at }) => dayKey(new Date(at ?? 0)))
}
