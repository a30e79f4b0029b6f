import { Clock, Effect } from "effect"
import { maxTriedPosts } from "../../api/posts/postListQuery.ts"
import type { PostScan, ScannedBatch, ScannedPost, ScanPosition } from "../../repo/posts/Posts.ts"

/** The posts that one statement examines. Even on a slow disk, it ends long before PostgreSQL's time limit. */
const triedAtOnce = 4_000
/** After this many milliseconds, no further statement begins. */
const maxMillis = 1_000

type Place = Pick<PostScan, "limit" | "maxBytes">

type Step = Place & Pick<PostScan, "after" | "maxTried">

/**
 * Scans repeatedly until a batch of posts is full. Ends the page early once it has examined `maxTriedPosts`, or after
 * `maxMillis`.
 */
export const makePostScan = <E>(scan: (step: Step) => Effect.Effect<ScannedBatch, E>) =>
  Effect.fnUntraced(function* ({ after, limit, maxBytes }: Place & { readonly after: ScanPosition | null }) {
    const began = yield* Clock.currentTimeMillis
    const posts: Array<ScannedPost> = []
    let bytes = 0
    let at = after
    for (;;) {
      const before = at?.tried ?? 0
      const found: ScannedBatch = yield* scan({
        limit: limit - posts.length,
        maxBytes: maxBytes - bytes,
        after: at,
        maxTried: Math.min(triedAtOnce, maxTriedPosts - before)
      })
      for (const post of found.posts) {
        posts.push({ ...post, tried: before + post.tried })
        bytes += post.json.length
      }
      if (found.stoppedAt === undefined) return { posts, more: found.more }
      at = { ...found.stoppedAt, tried: before + found.stoppedAt.tried }
      const isLate = (yield* Clock.currentTimeMillis) - began >= maxMillis
      if (at.tried >= maxTriedPosts || isLate) return { posts, more: true, stoppedAt: at }
      if (posts.length >= limit || bytes >= maxBytes) return { posts, more: true }
    }
  })
