import type { PostJson } from "../../api/postStatus.ts"

export interface Reordered {
  /** The post that changes its place. */
  readonly post: PostJson
  /** The posts whose times are exchanged, in their former and in their new order. */
  readonly before: ReadonlyArray<PostJson>
  readonly order: ReadonlyArray<PostJson>
}

/**
 * A post takes another place among posts in the order of their times. Only the posts in between move with it. Undefined
 * if it is not among them or stays where it is.
 */
export const reorder = (
  posts: ReadonlyArray<PostJson>,
  id: string,
  placeAfter: (from: number) => number
): Reordered | undefined => {
  const from = posts.findIndex((post) => post.id === id)
  const post = posts[from]
  const to = placeAfter(from)
  if (post === undefined || to === from || to < 0 || to >= posts.length) return undefined
  const [first, last] = [Math.min(from, to), Math.max(from, to) + 1]
  const all = posts.toSpliced(from, 1).toSpliced(to, 0, post)
  return { post, before: posts.slice(first, last), order: all.slice(first, last) }
}

/** The former order at the revisions after the change. */
export const undoOf = (before: ReadonlyArray<PostJson>, moved: ReadonlyArray<PostJson>): ReadonlyArray<PostJson> =>
  before.map((post) => moved.find(({ id }) => id === post.id) ?? post)
