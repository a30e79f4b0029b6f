// Uploads, creates, changes, publishes, reads and deletes with the client's package, as its users would.
import { ApiError, isCode, SocialPublisher, WaitError } from "social-publisher-client"

const [baseUrl = "", apiKey = "", picturePath = ""] = process.argv.slice(2)
const client = new SocialPublisher({ baseUrl, apiKey })

// The smallest picture: a white pixel.
const picture = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="),
  (character) => character.charCodeAt(0)
)

const { id } = await client.media.upload(new Blob([picture]), { alt: "A pixel", name: "pixel.png" })
const file = await client.media.waitUntilReady(id)
const part = await client.mediaContent.get(id, { range: "bytes=1-3" })
const streamed = await client.media.upload(new Blob([picture]).stream(), { alt: "As a stream" })
const fromPath = await client.media.upload({ path: picturePath }, { alt: null })
const unusable = await client.media
  .upload(new Blob(["no picture"]))
  .then((media) => client.media.waitUntilReady(media.id))
  .catch((error: unknown) =>
    error instanceof ApiError ? error.code : error instanceof WaitError ? error.reason : error
  )

const idempotencyKey = `once-${id}`
const body = { content: "Hello", platforms: ["twitter", "bluesky"], media: [{ id }], tags: null } as const
const created = await client.posts.create(body, { idempotencyKey })
const again = await client.posts.create(body, { idempotencyKey }).withResponse()
const mismatch = await client.posts
  .create({ ...body, content: "Another" }, { idempotencyKey })
  .catch((error: unknown) => (error instanceof ApiError ? error.code : undefined))

const draft = await client.posts.get(created.id)
const changed = await client.posts.update(draft.id, { tags: ["changed"] }, { ifMatch: draft })
const stale = await client.posts
  .update(draft.id, { tags: ["again"] }, { ifMatch: draft })
  .catch((error: unknown) => isCode(error, "revision_mismatch"))

await client.posts.publish(draft.id, { ifMatch: changed })
const post = await client.posts.wait(draft.id)

const others = await Promise.all(
  ["One", "Two", "Three"].map((content) => client.posts.create({ content, platforms: ["twitter"], tags: ["paged"] }))
)
const listed: Array<string> = []
for await (const each of client.posts.list({ tag: "paged", limit: 2 })) listed.push(each.content)
const page = await client.posts.list({ tag: "paged", limit: 2 }).page()
for (const other of others) await client.posts.delete(other.id)

const notified: Array<string> = []
for await (const { type } of client.notifications.list({ limit: 1 })) notified.push(type)

const invalid = await client.posts
  .create({ content: "Hello", platforms: [] })
  .catch((error: unknown) => (isCode(error, "invalid_request") ? error.errors.map(({ path }) => path) : undefined))
const refused = await client.posts
  .create({ ...body, platforms: ["tiktok"], schedule_at: new Date().toISOString() })
  .catch((error: unknown) => (isCode(error, "integration_not_connected") ? error.problem.platforms : undefined))

const hook = await client.webhooks.create({ url: "https://hooks.example.com/posts" })
const { data: rotated } = await client.webhooks.rotateSecret(hook.data.id)
await client.webhooks.delete(rotated.id)

const deleted = await client.posts.delete(draft.id)
const gone = await client.posts
  .get(draft.id)
  .catch((error: unknown) => (error instanceof ApiError ? [error.code, typeof error.requestId] : undefined))
const unknownKey = await new SocialPublisher({ baseUrl, apiKey: "sps_nonsense" }).me
  .get()
  .catch((error: unknown) => (error instanceof ApiError ? error.code : undefined))

process.stdout.write(
  JSON.stringify({
    uploaded: [file.status, file.alt],
    part: [part.status, await part.text()],
    others: [streamed.alt, fromPath.alt],
    unusable,
    created: created.status,
    again: [again.data.id === created.id, again.idempotentReplayed, again.rateLimit !== null],
    mismatch,
    changed: changed.tags,
    stale,
    published: post.post_targets.map((target) => `${target.integrations.platform} ${target.status}`),
    listed: listed.toSorted(),
    page: [page.data.length, page.next_cursor !== null],
    notified: notified.includes("post.published"),
    invalid,
    refused,
    deleted: deleted.deleted,
    gone,
    unknownKey
  })
)
