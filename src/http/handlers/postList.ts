import { Effect, Function, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { DatabaseUnavailable, ListsBusy } from "../../domain/errors.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { PostBatch } from "../../repo/posts/Posts.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { orProblem } from "../problems.ts"
import { batchBytes, ListBudget } from "./ListBudget.ts"

/** The first batch ends after this many bytes of JSON. A list that fits is sent immediately and reserves no memory. */
const firstBatchBytes = 64 * 1024
const firstBatchPosts = 50
const maxBatchPosts = 500

interface BatchQuery<Position> {
  readonly limit: number
  readonly maxBytes: number
  readonly after: Position | null
}

interface ListBatch<Listed extends PostJson, Position> extends PostBatch<Listed> {
  /** The position of the next page, if this page ends after the batch. */
  readonly stoppedAt?: Position
}

export interface PostList<Listed extends PostJson, Position> {
  readonly workspaceId: WorkspaceId
  readonly fetch: (
    query: BatchQuery<Position>
  ) => Effect.Effect<ListBatch<Listed, Position>, DatabaseUnavailable | ListsBusy>
  /** Null to begin with the first post. */
  readonly after: Position | null
  readonly positionOf: (post: Listed) => Position
  readonly limit: number
  /**
   * A batch waits for the workspace's turn. The first batch of a `quick` list is read in milliseconds, and has a page's
   * turn. A list with its `own` turns takes one for each statement.
   */
  readonly turns?: "quick" | "own"
  /** True if a page with these posts and bytes of JSON may end before the list. */
  readonly isEnough: (posts: number, bytes: number) => boolean
  /** The page as JSON, with an empty `data`. */
  readonly envelope: (next: Position | null) => string
}

const opening = `{"data":[`

const contentType = "application/json"

interface Progress<Position> {
  readonly after: Position | null
  readonly posts: number
  readonly bytes: number
}

interface Part<Position> {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly next: Progress<Position> | undefined
}

/** Estimates the number of posts for a batch from the size of the previous posts. */
const postsOfBatch = ({ bytes, posts }: Progress<unknown>): number =>
  posts === 0 ? firstBatchPosts : Math.max(1, Math.min(maxBatchPosts, Math.ceil((batchBytes * posts) / bytes)))

const utf8 = new TextEncoder()

const makePart = Effect.fnUntraced(function* <Listed extends PostJson, Position>(
  list: PostList<Listed, Position>,
  at: Progress<Position>,
  maxBytes: number
) {
  const limit = Math.min(list.limit - at.posts, postsOfBatch(at))
  const { more, posts, stoppedAt } = yield* list.fetch({ limit, maxBytes, after: at.after })
  let text = at.posts === 0 ? opening : ""
  let listed = 0
  for (const post of posts) {
    if (list.isEnough(at.posts + listed, at.bytes + text.length)) break
    text += `${at.posts + listed === 0 ? "" : ","}${post.json}`
    listed += 1
  }
  const last = posts[listed - 1]
  const isListed = listed === posts.length
  const stop = isListed ? stoppedAt : undefined
  const progress = {
    after: stop ?? (last === undefined ? at.after : list.positionOf(last)),
    posts: at.posts + listed,
    bytes: at.bytes + text.length
  }
  const isEnd =
    !more ||
    !isListed ||
    stop !== undefined ||
    progress.posts >= list.limit ||
    list.isEnough(progress.posts, progress.bytes)
  if (isEnd) text += list.envelope(isListed && !more ? null : progress.after).slice(opening.length)
  return { bytes: utf8.encode(text), next: isEnd ? undefined : progress } satisfies Part<Position>
})

const inBatchTurn = <Listed extends PostJson, Position>(
  { inTurn }: ListBudget["Service"],
  { turns, workspaceId }: PostList<Listed, Position>
) => (turns === "own" ? Function.identity : inTurn(workspaceId))

/** Reads the first part, which may be the whole list. */
export const makeReadFirst = Effect.map(
  ListBudget,
  (budget) =>
    <Listed extends PostJson, Position>(list: PostList<Listed, Position>) => {
      const first = makePart(list, { after: list.after, posts: 0, bytes: 0 }, firstBatchBytes)
      return list.turns === "quick" ? budget.inPageTurn(list.workspaceId)(first) : inBatchTurn(budget, list)(first)
    }
)

/**
 * Sends a short list whole. Streams a longer list in batches, as fast as the client reads, within the budget. If the
 * database fails during the stream, closes the connection, so that no client takes a part of the list for all of it.
 */
export const makePostList = Effect.map(Effect.all([ListBudget, makeReadFirst]), ([budget, readFirst]) =>
  Effect.fnUntraced(function* <Listed extends PostJson, Position>(
    list: PostList<Listed, Position>,
    read?: Part<Position>
  ) {
    const first = read ?? (yield* orProblem(readFirst(list)))
    if (first.next === undefined) return HttpServerResponse.uint8Array(first.bytes, { contentType })
    yield* orProblem(budget.reserve(list.workspaceId))
    const rest = Stream.unfold<Progress<Position> | undefined, Uint8Array, DatabaseUnavailable | ListsBusy, never>(
      first.next,
      (at) =>
        at === undefined
          ? Effect.undefined
          : makePart(list, at, batchBytes).pipe(
              inBatchTurn(budget, list),
              Effect.map(({ bytes, next }) => [bytes, next] as const)
            )
    )
    return HttpServerResponse.stream(Stream.concat(Stream.make(first.bytes), rest), { contentType })
  })
)
