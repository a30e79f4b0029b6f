import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { PostBatch } from "../../repo/posts/Posts.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { orProblem } from "../problems.ts"
import { batchBytes, ListBudget } from "./ListBudget.ts"

/** The bytes of JSON after which the first batch ends. A list that has no more is sent at once, and outside the budget. */
const firstBatchBytes = 64 * 1024
const firstBatchPosts = 50
const maxBatchPosts = 500

interface BatchQuery<Position> {
  readonly limit: number
  readonly maxBytes: number
  readonly after: Position | null
}

/** A part of a list, which may end the page before the list's end. */
interface ListBatch<Listed extends PostJson, Position> extends PostBatch<Listed> {
  /** Where the next page begins, if this one ends with the batch's posts. */
  readonly stoppedAt?: Position
}

/** A list of posts as a response. `Position` is the place of a post in it. */
export interface PostList<Listed extends PostJson, Position> {
  readonly workspaceId: WorkspaceId
  readonly fetch: (query: BatchQuery<Position>) => Effect.Effect<ListBatch<Listed, Position>, DatabaseUnavailable>
  /** Begins after this position; null begins with the first post. */
  readonly after: Position | null
  readonly positionOf: (post: Listed) => Position
  /** The most posts that it has. */
  readonly limit: number
  /** Whether it may end although there are more posts: after so many, with so many bytes of JSON. */
  readonly isEnough: (posts: number, bytes: number) => boolean
  /** The whole response without its posts, and so with `data` empty, as JSON; `next` is where the next page begins, if there is one. */
  readonly envelope: (next: Position | null) => string
}

/** How an envelope begins. The posts come between it and the rest. */
const opening = `{"data":[`

const contentType = "application/json"

interface Progress<Position> {
  readonly after: Position | null
  readonly posts: number
  readonly bytes: number
}

interface Part<Position> {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where the next part begins; undefined after the last. */
  readonly next: Progress<Position> | undefined
}

/** How many posts fit the batch if they are as large as those before. */
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

/** Reads the first part, which is the whole of a short list. */
export const readFirst = <Listed extends PostJson, Position>(list: PostList<Listed, Position>) =>
  makePart(list, { after: list.after, posts: 0, bytes: 0 }, firstBatchBytes)

/**
 * Makes the response of a list of posts. A short list is sent as a whole. A longer one is streamed batch by batch, as fast
 * as the client reads it, and holds what the budget allows; a failure of the database then closes the connection, so that
 * the client does not take the part for the whole.
 */
export const makePostList = Effect.map(ListBudget, (budget) =>
  Effect.fnUntraced(function* <Listed extends PostJson, Position>(
    list: PostList<Listed, Position>,
    read?: Part<Position>
  ) {
    const first = read ?? (yield* orProblem(readFirst(list)))
    if (first.next === undefined) return HttpServerResponse.uint8Array(first.bytes, { contentType })
    yield* budget.reserve(list.workspaceId)
    const rest = Stream.unfold<Progress<Position> | undefined, Uint8Array, DatabaseUnavailable, never>(
      first.next,
      (at) =>
        at === undefined
          ? Effect.undefined
          : makePart(list, at, batchBytes).pipe(
              budget.inTurn(list.workspaceId),
              Effect.map(({ bytes, next }) => [bytes, next] as const)
            )
    )
    return HttpServerResponse.stream(Stream.concat(Stream.make(first.bytes), rest), { contentType })
  })
)
