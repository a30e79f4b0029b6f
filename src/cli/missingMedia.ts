import { Console, Effect, type Layer } from "effect"
import { Backups } from "../backup/Backups.ts"
import { counted } from "../domain/counted.ts"
import type { PostId } from "../domain/ids.ts"
import { MediaStore } from "../media/store/MediaStore.ts"

const maxNamed = 100

const concurrency = 8

/** Returns null, after a message on standard error, if the store can't be read. */
export const findPostsWithoutMedia = Effect.fn("findPostsWithoutMedia")(function* <
  E extends { readonly message: string },
  R
>(storeLayer: Layer.Layer<MediaStore, E, R>) {
  const backups = yield* Backups
  const needed = yield* backups.neededFiles
  if (needed.length === 0) return []
  return yield* Effect.gen(function* () {
    const store = yield* MediaStore
    const missing = yield* Effect.filter(
      needed,
      ({ hash, workspaceId }) => Effect.map(store.has(workspaceId, hash), (has) => !has),
      { concurrency }
    )
    return [...new Set(missing.map(({ postId }) => postId))]
  }).pipe(
    Effect.provide(storeLayer),
    Effect.catch(({ message }) =>
      Effect.as(Console.error(`The store was not checked for the posts' media: ${message}`), null)
    )
  )
})

export const noteMissingMedia = (posts: ReadonlyArray<PostId> | null) =>
  posts === null || posts.length === 0
    ? Effect.void
    : Console.error(
        `\nThe store lacks media of ${counted(posts.length, "post, which fails", "posts, which fail")} unless it is copied there: ${posts.slice(0, maxNamed).join(" ")}${posts.length > maxNamed ? " and more" : ""}`
      )
