import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { validator } from "hono/validator"
import { z } from "zod"
import { answerParent } from "../support/answerParent.ts"
import { createPost, findCaller, findPost, listPosts } from "./store.ts"

const app = new Hono()

const NewPost = z.strictObject({
  content: z.string().min(1).max(3000),
  platforms: z
    .array(z.enum(["twitter", "bluesky"]))
    .min(1)
    .refine((platforms) => new Set(platforms).size === platforms.length),
  schedule_at: z.iso.datetime({ offset: true }).optional(),
  tags: z.array(z.string().min(1).max(256)).max(100).optional(),
  group_id: z.uuid().optional()
})

const Id = z.uuid()
const Limit = z.coerce.number().int().min(1).max(1000).default(20)

app.get("/v1/posts/:id", async (context) => {
  const caller = await findCaller(context.req.header("authorization"))
  if (caller === undefined) return context.json({ title: "Unauthorized" }, 401)
  const id = Id.safeParse(context.req.param("id"))
  if (!id.success) return context.json({ title: "Bad Request" }, 400)
  const post = await findPost(caller.workspaceId, id.data)
  return post === undefined ? context.json({ title: "Not Found" }, 404) : context.json({ data: post })
})

app.get("/v1/posts", async (context) => {
  const caller = await findCaller(context.req.header("authorization"))
  if (caller === undefined) return context.json({ title: "Unauthorized" }, 401)
  const limit = Limit.safeParse(context.req.query("limit"))
  if (!limit.success) return context.json({ title: "Bad Request" }, 400)
  return context.json(await listPosts(caller.workspaceId, limit.data))
})

const validBody = validator("json", (value, context) => {
  const body = NewPost.safeParse(value)
  return body.success ? body.data : context.json({ title: "Bad Request", errors: body.error.issues }, 400)
})

app.post("/v1/posts", validBody, async (context) => {
  const caller = await findCaller(context.req.header("authorization"))
  if (caller === undefined) return context.json({ title: "Unauthorized" }, 401)
  const created = await createPost(caller, context.req.valid("json"))
  if (created === undefined) return context.json({ title: "Unprocessable" }, 422)
  return context.json(created, 201, { location: `/v1/posts/${created.id}` })
})

answerParent(
  () =>
    new Promise((resolve) => {
      serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => resolve({ port }))
    })
)
