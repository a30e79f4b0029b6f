import type { PostJson } from "../../api/postStatus.ts"
import { makeStore } from "../../store/makeStore.ts"
import type { Known } from "../actions/action.ts"

export interface Selection {
  /** The person and workspace. Somebody else in the same tab begins with an empty selection. */
  readonly owner: string
  /** True in selection mode, in which a click or touch selects. */
  readonly isOn: boolean
  readonly posts: ReadonlyMap<string, Known>
  /** The post at which a range begins. */
  readonly anchor: string | undefined
}

export const maxSelected = 200

export const noSelection: Selection = { owner: "", isOn: false, posts: new Map(), anchor: undefined }

/** The selection is kept while the person changes between the calendar and the list. */
export const selection = makeStore(noSelection)

/** The posts from `from` to `to`, including both. Only `to` if `from` is not in the list. */
export const between = (
  posts: ReadonlyArray<PostJson>,
  from: string | undefined,
  to: string
): ReadonlyArray<PostJson> => {
  const end = posts.findIndex(({ id }) => id === to)
  const start = posts.findIndex(({ id }) => id === from)
  if (end === -1) return []
  return start === -1 ? posts.slice(end, end + 1) : posts.slice(Math.min(start, end), Math.max(start, end) + 1)
}

export const withPosts = (before: Selection, posts: ReadonlyArray<PostJson>, anchor: string | undefined): Selection => {
  const added = posts.filter(({ id }) => !before.posts.has(id)).slice(0, Math.max(0, maxSelected - before.posts.size))
  return {
    ...before,
    posts: new Map([...before.posts, ...added.map((post) => [post.id, { post, seen: post.revision }] as const)]),
    anchor
  }
}

export const withoutPosts = (before: Selection, ids: ReadonlySet<string>): Selection => ({
  ...before,
  posts: new Map(Array.from(before.posts).filter(([id]) => !ids.has(id)))
})

/** Replaces posts with newer versions. The person has read the versions that they made, but not other people's. */
export const withNewer = (before: Selection, posts: ReadonlyArray<PostJson>, isOwnChange: boolean): Selection => {
  const all = new Map(before.posts)
  for (const post of posts) {
    const selected = all.get(post.id)
    if (selected !== undefined) all.set(post.id, { post, seen: isOwnChange ? post.revision : selected.seen })
  }
  return { ...before, posts: all }
}
