import { DateTime, Schema } from "effect"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { BlueskyPost } from "../../src/platforms/bluesky/adapter.ts"
import { BlueskyUploads } from "../../src/platforms/bluesky/media.ts"
import { postRecord, recordKey } from "../../src/platforms/bluesky/postRecord.ts"
import type { Prepared, PublishRequest, Uploads } from "../../src/platforms/PlatformClient.ts"
import { TwitterPost } from "../../src/platforms/twitter/adapter.ts"
import { TwitterUploads } from "../../src/platforms/twitter/media.ts"

const accountId = "account"
const latest = DateTime.makeUnsafe("2030-01-31T12:00:00Z")

const cid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
const blob = { $type: "blob", ref: { $link: cid }, mimeType: "image/png", size: 68 } as const

/** The result of a platform's adapter for uploaded files, by a name for all of them. */
export const adapterUploads = (platform: LivePlatform, name: string): Uploads => {
  if (platform === "twitter") {
    return Schema.encodeSync(TwitterUploads)({
      _tag: "TwitterUploads",
      version: 1,
      accountId,
      media: [{ id: Buffer.from(name).toString("hex"), key: null }],
      expiresAt: latest,
      marginSeconds: 300
    })
  }
  const image = { alt: "", image: blob, aspectRatio: { width: 40, height: 30 } }
  return Schema.encodeSync(BlueskyUploads)({
    _tag: "BlueskyUploads",
    version: 1,
    accountId,
    embed: { $type: "app.bsky.embed.images", images: [image] },
    files: [{ hash: name, contentType: "image/png", size: 68, blob, processed: false }]
  })
}

const decodeTwitterUploads = Schema.decodeUnknownSync(TwitterUploads)
const decodeBlueskyUploads = Schema.decodeUnknownSync(BlueskyUploads)

/** The post that a platform's adapter prepares. */
export const adapterPost = (
  platform: LivePlatform,
  { targetId, text, uploads = null }: Pick<PublishRequest, "targetId" | "text" | "uploads">
): Prepared => {
  if (platform === "twitter") {
    return Schema.encodeSync(TwitterPost)({
      _tag: "TwitterPost",
      version: 1,
      text,
      accountId,
      preparedAt: latest,
      ...(uploads === null ? {} : { uploads: decodeTwitterUploads(uploads) })
    })
  }
  const record = postRecord({ text, facets: [] }, new Map(), latest)
  const uploaded = uploads === null ? undefined : decodeBlueskyUploads(uploads)
  return Schema.encodeSync(BlueskyPost)({
    _tag: "BlueskyPost",
    version: 1,
    repo: accountId,
    rkey: recordKey(targetId),
    ...(uploaded === undefined ? { record } : { record: { ...record, embed: uploaded.embed }, files: uploaded.files })
  })
}

const decodePost = Schema.decodeUnknownSync(Schema.Union([TwitterPost, BlueskyPost]))

const nameOf = (uploads: TwitterUploads | undefined) => {
  const id = uploads?.media[0]?.id
  return id === undefined ? null : Buffer.from(id, "hex").toString()
}

/** The text of a prepared post, and the name of its files. */
export const readAdapterPost = (prepared: Prepared): { readonly text: string; readonly files: string | null } => {
  const post = decodePost(prepared)
  return "record" in post
    ? { text: post.record.text, files: post.files?.[0]?.hash ?? null }
    : { text: post.text, files: nameOf(post.uploads) }
}
