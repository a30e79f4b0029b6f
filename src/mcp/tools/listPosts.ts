import { Effect, Schema } from "effect"
import { Instant } from "../../domain/instant.ts"
import { Platform } from "../../domain/platform.ts"
import type { Post } from "../../domain/posts/post.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { ListOrder, PostSort } from "../../domain/posts/postList.ts"
import { type PostListQuery, postListQuery } from "../../api/posts/postListQuery.ts"
import { PostCursor } from "../../api/pagination.ts"
import { jsonBytes, maxResultBytes } from "../bounds.ts"
import { CompactPost, compactPost, truncated } from "../compactPost.ts"
import { type Call, makeTool } from "../tool.ts"

const maxLimit = 50
const defaultLimit = 20

/**
 * The posts of one API request. They are few, because the API returns whole posts, but results need only their
 * beginnings.
 */
const pageSize = 10

// The JSON Schema contains only descriptions of the encoded side, so this one is put there.
const time = (description: string) => Schema.optionalKey(Instant.pipe(Schema.annotateEncoded({ description })))

const input = Schema.Struct({
  status: Schema.optionalKey(PostStatus).annotateKey({ description: "Only posts with this status." }),
  platform: Schema.optionalKey(Platform).annotateKey({ description: "Only posts for this platform." }),
  tag: postListQuery.tag,
  text: postListQuery.text,
  from: time("Only posts created then or later or, with `sort: scheduled_at`, with such a time."),
  to: time("Only posts created before then or, with `sort: scheduled_at`, with such a time."),
  sort: Schema.optionalKey(PostSort).annotateKey({
    description: "`created_at` by default; `scheduled_at` lists only posts that have a time."
  }),
  order: Schema.optionalKey(ListOrder).annotateKey({ description: "`desc`, the default, begins with the latest." }),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit })).annotate({ format: "int32" })
  ).annotateKey({ description: `The most posts to list, ${defaultLimit} by default.` }),
  cursor: Schema.optionalKey(
    PostCursor.pipe(
      Schema.annotateEncoded({
        description: "The `next_cursor` of the result before, with the same filters and order."
      })
    )
  )
})

const listed = Schema.Struct({
  ...input.fields,
  text: Schema.optionalKey(Schema.String).annotateKey({
    description: "Only posts with these words in texts or tags, in any order and case. No wildcards."
  })
})

const output = Schema.Struct({
  posts: Schema.Array(CompactPost),
  next_cursor: Schema.NullOr(PostCursor).annotateKey({
    description:
      "The `cursor` of what follows; null at the end. A result may have fewer posts than `limit`, or none, before it."
  }),
  truncated
})

const encodePosts = Schema.encodeEffect(Schema.Array(CompactPost))

const queryOf = ({ from, limit: _, sort, to, ...filters }: typeof input.Type): PostListQuery => {
  const [first, last] =
    sort === "scheduled_at" ? (["scheduled_from", "scheduled_to"] as const) : (["created_from", "created_to"] as const)
  return {
    ...filters,
    ...(sort !== undefined && { sort }),
    ...(from !== undefined && { [first]: from }),
    ...(to !== undefined && { [last]: to })
  }
}

const collect = Effect.fnUntraced(function* (query: PostListQuery, limit: number, { baseUrl, contract }: Call) {
  const posts: Array<typeof CompactPost.Type> = []
  let bytes = 0
  let cursor: PostListQuery["cursor"] | null = query.cursor ?? null
  do {
    const count = Math.min(pageSize, limit - posts.length)
    const page: {
      readonly data: ReadonlyArray<Post>
      readonly next_cursor: NonNullable<PostListQuery["cursor"]> | null
    } = yield* contract.posts.list({ query: { ...query, limit: count, ...(cursor !== null && { cursor }) } })
    const found = page.data.map((post) => compactPost(post, baseUrl))
    const more = jsonBytes(yield* encodePosts(found))
    // A page that no longer fits begins the next result.
    if (posts.length > 0 && bytes + more > maxResultBytes - 1_000) break
    posts.push(...found)
    bytes += more
    cursor = page.next_cursor
    // A search may end a page early. The agent's next call continues it.
    if (found.length < count) break
  } while (cursor !== null && posts.length < limit)
  return { posts, next_cursor: cursor }
})

export const listPosts = makeTool({
  name: "list_posts",
  title: "List posts",
  description:
    "Use this to find posts of the workspace, with their status on each platform and the beginning of each text; get_post has whole texts. Changes nothing.",
  scopes: ["posts:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input,
  listed,
  output,
  run: (args, call) => collect(queryOf(args), args.limit ?? defaultLimit, call)
})
