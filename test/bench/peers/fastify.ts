import Fastify from "fastify"
import { answerParent } from "../support/answerParent.ts"
import { createPost, findCaller, findPost, listPosts, type NewPost } from "./store.ts"

const app = Fastify({ ajv: { customOptions: { removeAdditional: false } } })

const unauthorized = { title: "Unauthorized", status: 401 }
const notFound = { title: "Not Found", status: 404 }
const notConnected = { title: "Unprocessable", status: 422 }

const nullableString = { type: "string", nullable: true } as const
const text = { type: "string" } as const

const target = {
  type: "object",
  properties: {
    status: text,
    platform_post_url: nullableString,
    published_at: nullableString,
    error: {
      type: "object",
      nullable: true,
      properties: { code: text, message: text, retryable: { type: "boolean" } }
    },
    account_id: nullableString,
    copied_to: nullableString,
    parts: { type: "array", nullable: true, items: { type: "object", additionalProperties: true } },
    integrations: { type: "object", properties: { platform: text } }
  }
} as const

const post = {
  type: "object",
  properties: {
    id: text,
    status: text,
    content: text,
    scheduled_at: { ...nullableString, format: "date-time" },
    published_at: { ...nullableString, format: "date-time" },
    tags: { type: "array", items: text },
    platform_overrides: { type: "object", additionalProperties: true },
    platform_settings: { type: "object", additionalProperties: true },
    media: { type: "array", items: { type: "object", additionalProperties: true } },
    card: { type: "object", nullable: true, additionalProperties: true },
    thread: { type: "array", items: { type: "object", additionalProperties: true } },
    approval: { type: "object", nullable: true, additionalProperties: true },
    group_id: nullableString,
    copied_from: nullableString,
    reply_to: nullableString,
    revision: { type: "integer" },
    created_by: { type: "object", nullable: true, properties: { type: text, id: text, name: text } },
    post_targets: { type: "array", items: target },
    created_at: { ...text, format: "date-time" }
  }
} as const

const newPost = {
  type: "object",
  additionalProperties: false,
  required: ["content", "platforms"],
  properties: {
    content: { type: "string", minLength: 1, maxLength: 3000 },
    platforms: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "string", enum: ["twitter", "bluesky"] }
    },
    schedule_at: { type: "string", format: "date-time" },
    tags: { type: "array", maxItems: 100, items: { type: "string", minLength: 1, maxLength: 256 } },
    group_id: { type: "string", format: "uuid" }
  }
} as const

app.get<{ Params: { readonly id: string } }>(
  "/v1/posts/:id",
  {
    schema: {
      params: { type: "object", properties: { id: { type: "string", format: "uuid" } } },
      response: { 200: { type: "object", properties: { data: post } } }
    }
  },
  async (request, reply) => {
    const caller = await findCaller(request.headers.authorization)
    if (caller === undefined) return reply.code(401).send(unauthorized)
    const found = await findPost(caller.workspaceId, request.params.id)
    return found === undefined ? reply.code(404).send(notFound) : { data: found }
  }
)

app.get<{ Querystring: { readonly limit: number } }>(
  "/v1/posts",
  {
    schema: {
      querystring: {
        type: "object",
        properties: { limit: { type: "integer", minimum: 1, maximum: 1000, default: 20 } }
      },
      response: {
        200: { type: "object", properties: { data: { type: "array", items: post }, next_cursor: nullableString } }
      }
    }
  },
  async (request, reply) => {
    const caller = await findCaller(request.headers.authorization)
    if (caller === undefined) return reply.code(401).send(unauthorized)
    return listPosts(caller.workspaceId, request.query.limit)
  }
)

app.post<{ Body: NewPost }>("/v1/posts", { schema: { body: newPost } }, async (request, reply) => {
  const caller = await findCaller(request.headers.authorization)
  if (caller === undefined) return reply.code(401).send(unauthorized)
  const created = await createPost(caller, request.body)
  if (created === undefined) return reply.code(422).send(notConnected)
  return reply.code(201).header("location", `/v1/posts/${created.id}`).send(created)
})

answerParent(async () => {
  const address = await app.listen({ port: 0, host: "127.0.0.1" })
  return { port: Number(new URL(address).port) }
})
