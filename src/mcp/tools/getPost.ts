import { Effect, Schema, Struct } from "effect"
import { PostId } from "../../domain/ids.ts"
import { Instant } from "../../domain/instant.ts"
import type { Post } from "../../domain/posts/post.ts"
import { excerptOf, jsonBytes } from "../bounds.ts"
import { headOf, listedHead, postHead, truncated } from "../compactPost.ts"
import { type Call, makeTool } from "../tool.ts"

const input = Schema.Struct({ id: PostId.annotateKey({ description: "The post's id." }) })

const Texts = Schema.Record(Schema.String, Schema.String)

const File = Schema.Struct({ id: Schema.String, alt: Schema.String })

const Entry = Schema.Struct({
  type: Schema.String,
  happened_at: Instant,
  by: Schema.NullOr(Schema.String).annotateKey({ description: "The name of who did it; null for the service itself." }),
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  reason: Schema.optionalKey(Schema.String).annotateKey({ description: "Why a person rejected it." })
})

const members = {
  content: Schema.String,
  platform_overrides: Texts,
  platform_settings: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
  thread: Schema.Array(
    Schema.Struct({
      content: Schema.String,
      platform_overrides: Texts,
      media: Schema.Array(File),
      platforms: Schema.optionalKey(Schema.Array(Schema.String)).annotateKey({
        description: "The platforms that get the part; absent if all of the post's do."
      })
    })
  ),
  media: Schema.Array(File),
  tags: Schema.Array(Schema.String),
  group_id: Schema.NullOr(Schema.String),
  rejection_reason: Schema.NullOr(Schema.String).annotateKey({
    description: "Why a person rejected it: what to change."
  }),
  published_at: Schema.NullOr(Instant),
  created_at: Instant,
  history: Schema.Array(Entry).annotateKey({ description: "The latest events, newest first." }),
  truncated
}

const output = Schema.Struct({ ...postHead, ...members })

const historyLength = 20

/** If a post's settings have more bytes of JSON, the result leaves them out. */
const maxSettingsBytes = 4_000

const defined = (texts: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined))

const files = (media: Post["media"]) => media.map(({ alt, id }) => ({ id, alt }))

const readHistory = Effect.fnUntraced(function* (id: PostId, { contract }: Call) {
  const { data } = yield* contract.events.history({ params: { id }, query: { limit: historyLength } })
  return data.map(({ by, details, event }) => ({
    type: event.type,
    happened_at: event.timestamp,
    by: by?.name ?? null,
    ...(details?.changed !== undefined && { changed: details.changed }),
    ...(details?.reason !== undefined && { reason: excerptOf(details.reason, 500) })
  }))
})

export const getPost = makeTool({
  name: "get_post",
  title: "Get a post",
  description:
    "Use this to read one post whole, with its etag, its status on each platform and what happened to it, before you change, delete or publish it. Changes nothing.",
  scopes: ["posts:read"],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input,
  output,
  listedOutput: Schema.Struct({ ...listedHead, ...members }),
  run: Effect.fnUntraced(function* ({ id }, call) {
    const {
      body: { data: post }
    } = yield* call.contract.posts.get({ params: { id } })
    return {
      ...headOf(post, call.baseUrl),
      ...Struct.pick(post, ["content", "group_id", "published_at", "created_at", "tags"]),
      platform_overrides: defined(post.platform_overrides),
      // The settings of a platform that is not enabled have no size limit of their own.
      ...(jsonBytes(post.platform_settings) > maxSettingsBytes
        ? { platform_settings: {}, truncated: true as const }
        : { platform_settings: post.platform_settings }),
      thread: post.thread.map(({ content, media, platform_overrides, platforms }) => ({
        content,
        platform_overrides: defined(platform_overrides),
        media: files(media),
        ...(platforms !== null && { platforms })
      })),
      media: files(post.media),
      rejection_reason: post.approval?.reason ?? null,
      history: yield* readHistory(id, call)
    }
  })
})
