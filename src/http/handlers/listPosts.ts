import { Effect } from "effect"
import { CurrentKey } from "../../api/Authorization.ts"
import { PostPosition } from "../../api/pagination.ts"
import { defaultPostLimit } from "../../api/Posts.ts"
import type { PostStatus } from "../../domain/post.ts"
import { Repo } from "../../repo/Repo.ts"

interface Query {
  readonly status?: PostStatus
  readonly limit?: number
  readonly cursor?: typeof PostPosition.Type
}

/** A page of posts, newest first, and where the next one begins. */
export const makeListPosts = Effect.gen(function* () {
  const { posts } = yield* Repo

  return Effect.fn("listPosts")(function* ({ status, limit = defaultPostLimit, cursor }: Query) {
    const { workspaceId } = yield* CurrentKey
    // One more than asked for tells whether there is a next page.
    const found = yield* posts.list(workspaceId, {
      status: status ?? null,
      limit: limit + 1,
      before: cursor?.before ?? null
    })
    const data = found.slice(0, limit)
    const last = data.at(-1)
    return {
      data,
      next_cursor: found.length > limit && last !== undefined ? PostPosition.make({ before: last.id }) : null
    }
  })
})
