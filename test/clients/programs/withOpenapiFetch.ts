// Creates, publishes, reads and deletes a post with openapi-fetch and the types of openapi-typescript.
import createClient from "openapi-fetch"
import type { components, paths } from "./openapiTypescript.js"

const [baseUrl = "", key = ""] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })

// The smallest picture: a white pixel.
const picture = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="),
  (character) => character.charCodeAt(0)
)
const form = new FormData()
form.set("file", new Blob([picture]), "pixel.png")
form.set("alt", "A pixel")
const uploaded = await client.POST("/v1/media", { body: { file: "" }, bodySerializer: () => form })
if (uploaded.error) throw new Error(uploaded.error.detail)
const media = [{ id: uploaded.data.data.id }]

const readFile = async (): Promise<components["schemas"]["Media"]> => {
  const { data, error } = await client.GET("/v1/media/{id}", { params: { path: { id: uploaded.data.data.id } } })
  if (error) throw new Error(error.detail)
  return data.data.status === "processing" ? readFile() : data.data
}
const file = await readFile()
const part = await client.GET("/v1/media/{id}/content", {
  params: { path: { id: file.id }, header: { Range: "bytes=1-3" } },
  parseAs: "text"
})
if (part.error) throw new Error(part.error.detail)

const body: components["schemas"]["CreatePost"] = {
  content: "Hello from openapi-fetch",
  platforms: ["twitter", "bluesky"],
  media
}
const created = await client.POST("/v1/posts", { body })
if (created.error) throw new Error(created.error.detail)
const params = { path: { id: created.data.id } }

const publishing = await client.POST("/v1/posts/{id}/publish", { params })
if (publishing.error) throw new Error(publishing.error.detail)

const read = async (): Promise<components["schemas"]["Post"]> => {
  const { data, error } = await client.GET("/v1/posts/{id}", { params })
  if (error) throw new Error(error.detail)
  return data.data.status === "published" ? data.data : read()
}
const post = await read()

// A type that is added later is a notification too.
const later: components["schemas"]["Notification"] = {
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
const page = await client.GET("/v1/notifications", { params: { query: { limit: 1 } } })
if (page.error) throw new Error(page.error.detail)
const notified = [...page.data.data, later].map(({ type, metadata }) => [
  type,
  "post_id" in metadata && metadata["post_id"] === created.data.id
])

// So is an event.
const laterEvent: components["schemas"]["Event"] = {
  type: "post.later",
  timestamp: post.created_at,
  data: { post_id: created.data.id }
}
const events = await client.GET("/v1/events", { params: { query: { limit: 1 } } })
if (events.error) throw new Error(events.error.detail)
const recorded = [...events.data.data.map(({ event }) => event), laterEvent].map(({ type }) => type.startsWith("post."))

const deleted = await client.DELETE("/v1/posts/{id}", { params })
if (deleted.error) throw new Error(deleted.error.detail)

const gone = await client.GET("/v1/posts/{id}", { params })
const refused = await client.POST("/v1/posts", { body: { ...body, platforms: ["twitter", "tiktok"] } })

process.stdout.write(
  JSON.stringify({
    uploaded: [file.status, file.alt],
    part: [part.response.status, part.data],
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
