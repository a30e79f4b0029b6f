// Creates, publishes, reads and deletes a post with the client of @hey-api/openapi-ts.
import { client } from "./heyApi/client.gen.js"
import {
  createPost,
  deletePost,
  getMedia,
  getMediaContent,
  getPost,
  listEvents,
  listNotifications,
  publishPost,
  uploadMedia,
  type CreatePost,
  type Event,
  type Media,
  type Notification,
  type Post
} from "./heyApi/index.js"

const [baseUrl = "", auth = ""] = process.argv.slice(2)
client.setConfig({ baseUrl, auth })

// The smallest picture: a white pixel.
const picture = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="),
  (character) => character.charCodeAt(0)
)
const uploaded = await uploadMedia({
  body: { file: new File([picture], "pixel.png"), alt: "A pixel" },
  throwOnError: true
})
const { id } = uploaded.data.data

const readFile = async (): Promise<Media> => {
  const { data } = await getMedia({ path: { id }, throwOnError: true })
  return data.data.status === "processing" ? readFile() : data.data
}
const file = await readFile()
const part = await getMediaContent({ path: { id }, headers: { Range: "bytes=1-3" }, throwOnError: true })

const body: CreatePost = { content: "Hello from hey-api", platforms: ["twitter", "bluesky"], media: [{ id }] }
const created = await createPost({ body, throwOnError: true })
const path = { id: created.data.id }

await publishPost({ path, throwOnError: true })

const read = async (): Promise<Post> => {
  const { data } = await getPost({ path, throwOnError: true })
  return data.data.status === "published" ? data.data : read()
}
const post = await read()

// A type that is added later is a notification too.
const later: Notification = {
  id: created.data.id,
  title: "Later",
  message: "",
  level: "attention",
  read: false,
  action_url: null,
  created_at: post.created_at,
  type: "post.later",
  metadata: { post_id: created.data.id }
}
const { data: page } = await listNotifications({ query: { limit: 1 }, throwOnError: true })
const notified = [...page.data, later].map(({ type, metadata }) => [
  type,
  "post_id" in metadata && metadata["post_id"] === created.data.id
])

// So is an event.
const laterEvent: Event = { type: "post.later", timestamp: post.created_at, data: { post_id: created.data.id } }
const { data: events } = await listEvents({ query: { limit: 1 }, throwOnError: true })
const recorded = [...events.data.map(({ event }) => event), laterEvent].map(({ type }) => type.startsWith("post."))

const deleted = await deletePost({ path, throwOnError: true })

const gone = await getPost({ path })
const refused = await createPost({ body: { ...body, platforms: ["twitter", "tiktok"] } })

process.stdout.write(
  JSON.stringify({
    uploaded: [file.status, file.alt],
    part: [part.response.status, await new Response(part.data).text()],
    created: created.data.status,
    carried: post.media.map(({ alt }) => alt),
    published: post.post_targets.map((target) => `${target.integrations.platform} ${target.status}`),
    notified,
    recorded,
    deleted: deleted.data.data.deleted,
    gone: gone.error?.code,
    refused: refused.error?.code === "integration_not_connected" ? refused.error.platforms : undefined
  })
)
