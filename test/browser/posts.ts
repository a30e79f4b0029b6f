import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { Dashboard } from "./dashboard.ts"

const Created = Schema.Struct({ id: Schema.String })
const Made = Schema.Struct({ key: Schema.String })
const Caller = Schema.Struct({ data: Schema.Struct({ workspace: Schema.Struct({ id: Schema.String }) }) })
const OnePost = Schema.Struct({
  data: Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    content: Schema.String,
    tags: Schema.Array(Schema.String),
    scheduled_at: Schema.NullOr(Schema.String),
    copied_from: Schema.NullOr(Schema.String),
    reply_to: Schema.NullOr(Schema.String),
    thread: Schema.Array(
      Schema.Struct({
        content: Schema.String,
        platforms: Schema.NullOr(Schema.Array(Schema.String)),
        platform_overrides: Schema.Record(Schema.String, Schema.String),
        media: Schema.Array(Schema.Struct({ alt: Schema.String }))
      })
    ),
    post_targets: Schema.Array(
      Schema.Struct({
        copied_to: Schema.NullOr(Schema.String),
        integrations: Schema.Struct({ platform: Schema.String })
      })
    ),
    platform_overrides: Schema.Record(Schema.String, Schema.String),
    media: Schema.Array(Schema.Struct({ alt: Schema.String }))
  })
})
const PostPage = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })

const readId = Schema.decodeUnknownSync(Schema.fromJsonString(Created))
const readSecret = Schema.decodeUnknownSync(Schema.fromJsonString(Made))
const readCaller = Schema.decodeUnknownSync(Schema.fromJsonString(Caller))
const readPost = Schema.decodeUnknownSync(Schema.fromJsonString(OnePost))
const readPage = Schema.decodeUnknownSync(Schema.fromJsonString(PostPage))

/** Changes or deletes a post in its current state. */
const send = Effect.fnUntraced(function* (method: string, path: string, key: string, body?: object) {
  const { url } = yield* Dashboard
  return yield* Effect.promise(async () => {
    const authorization = `Bearer ${key}`
    const isChange = method === "PATCH" || method === "DELETE"
    const read = isChange ? await fetch(`${url}${path}`, { headers: { authorization } }) : undefined
    const etag = read?.headers.get("etag") ?? undefined
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, "content-type": "application/json", ...(etag !== undefined && { "if-match": etag }) },
      body: body === undefined ? null : JSON.stringify(body)
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  })
})

export const createPost = (key: string, body: object) =>
  Effect.map(send("POST", "/v1/posts", key, body), (text) => readId(text).id)
export const changePost = (key: string, id: string, body: object) => send("PATCH", `/v1/posts/${id}`, key, body)
export const deletePost = (key: string, id: string) => send("DELETE", `/v1/posts/${id}`, key)
export const setQueue = (key: string, queue: object) => send("PUT", "/v1/queue", key, queue)
export const approvePost = (key: string, id: string) => send("POST", `/v1/posts/${id}/approve`, key, { revision: 1 })
export const rejectPost = (key: string, id: string, reason: string) =>
  send("POST", `/v1/posts/${id}/reject`, key, { revision: 1, reason })
export const getPost = (key: string, id: string) =>
  Effect.map(send("GET", `/v1/posts/${id}`, key), (text) => readPost(text).data)
export const newestPost = (key: string) =>
  Effect.flatMap(send("GET", "/v1/posts?limit=1", key), (text) => getPost(key, readPage(text).data[0]?.id ?? "none"))

/** Changes a post in the database as the service's attempts would change it. */
const change = Effect.fnUntraced(function* (id: string, set: string, status = "failed") {
  const due = status === "scheduled" || status === "publishing" ? "" : "due_at = NULL, due_since = NULL, "
  const { database } = yield* Dashboard
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(`UPDATE post_targets SET ${due}attempts = 1, ${set} WHERE post_id = $1::uuid`, [id])
    yield* sql`UPDATE posts SET status = ${status} WHERE id = ${id}::uuid`
  }).pipe(Effect.provide(PgClient.layer({ url: database, maxConnections: 1 })), Effect.orDie)
})

/** Makes a scheduled post look refused by X at its time and published on its other platforms. */
export const refuseOnX = (id: string) =>
  change(
    id,
    `status = CASE platform WHEN 'twitter' THEN 'failed' ELSE 'published' END,
    published_at = CASE WHEN platform <> 'twitter' THEN now() END,
    platform_post_url = CASE WHEN platform <> 'twitter' THEN 'https://bsky.app/profile/demo/post/1' END,
    error_code = CASE platform WHEN 'twitter' THEN 'rejected' END,
    error_message = CASE platform WHEN 'twitter' THEN 'The text is not allowed' END,
    error_retryable = CASE platform WHEN 'twitter' THEN false END`
  )

/** Makes a scheduled post look published at a time. */
export const goOutAt = Effect.fnUntraced(function* (id: string, at: Date) {
  const { database } = yield* Dashboard
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE post_targets SET status = 'published', published_at = ${at}::timestamptz, due_at = NULL, due_since = NULL, attempts = 1
      WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE posts SET status = 'published', scheduled_at = ${at}::timestamptz, published_at = ${at}::timestamptz WHERE id = ${id}::uuid`
  }).pipe(Effect.provide(PgClient.layer({ url: database, maxConnections: 1 })), Effect.orDie)
})

/** Makes a scheduled post look failed at its time, with an unknown outcome on X. Nothing was sent to Bluesky. */
export const loseOutcome = (id: string) =>
  change(
    id,
    `status = 'failed', prepared = CASE platform WHEN 'twitter' THEN '{"text":"Is it out?"}'::jsonb END,
    sent_at = CASE platform WHEN 'twitter' THEN to_timestamp(0) END, error_message = 'Check the account',
    error_code = CASE platform WHEN 'twitter' THEN 'outcome_unknown' ELSE 'gave_up' END, error_retryable = false`
  )

/** Makes a scheduled post look accepted by X, which is processing it, and published on Bluesky, which gave no URL. */
export const processOnX = (id: string) =>
  change(
    id,
    `status = CASE platform WHEN 'twitter' THEN 'pending' ELSE 'published' END,
    prepared = '{"text":"A video"}'::jsonb, sent_at = now() - interval '5 minutes', published_at = CASE WHEN platform <> 'twitter' THEN now() END,
    due_at = CASE platform WHEN 'twitter' THEN due_at END, due_since = CASE platform WHEN 'twitter' THEN due_since END,
    processing_since = CASE platform WHEN 'twitter' THEN now() - interval '5 minutes' END`,
    "publishing"
  )

/** Makes the oldest entry of a post's history report an unknown outcome on X. */
export const recordLostOutcome = Effect.fnUntraced(function* (id: string) {
  const { database } = yield* Dashboard
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO events (id, workspace_id, type, audience, data, post_id, created_at)
      SELECT overlay(id::text PLACING '00000000' FROM 1)::uuid, workspace_id, 'post.target.failed', 'history', jsonb_build_object(
        'post_id', id, 'integration_id', (SELECT integration_id FROM post_targets WHERE post_id = p.id AND platform = 'twitter'),
        'platform', 'twitter', 'status', 'failed', 'error_code', 'outcome_unknown', 'retryable', false), id, now()
      FROM posts p WHERE id = ${id}::uuid`
  }).pipe(Effect.provide(PgClient.layer({ url: database, maxConnections: 1 })), Effect.orDie)
})

/** Makes a scheduled thread look failed at its second part, with an unknown outcome. The first part is published. */
export const losePart = (id: string) =>
  change(
    id,
    `status = 'failed', part = 2, prepared = '{"text":"Two"}'::jsonb, sent_at = to_timestamp(0),
    parts = '[{"id":"1234567890123456788","cid":null,"url":"https://x.com/demo/status/1234567890123456788",
      "published_at":"2026-01-31T09:00:00.000Z"}]'::jsonb,
    error_code = 'outcome_unknown', error_message = 'Part 2 of 3: Check the account', error_retryable = false`
  )

/** Makes the first part of a thread on Bluesky look published. The post is a draft or waits for its time. */
export const sendFirstPart = (id: string, status: "draft" | "scheduled") =>
  change(
    id,
    `part = 2, parts = '[{"id":"at://did:plc:demo/app.bsky.feed.post/1","cid":"c",
      "url":"https://bsky.app/profile/demo/post/1","published_at":"2026-01-31T09:00:00.000Z"}]'::jsonb`,
    status
  )

/** Makes the failed targets of a post wait for their time again. */
export const waitAgain = (id: string) =>
  change(
    id,
    `status = CASE WHEN status = 'failed' THEN 'pending' ELSE status END, error_code = NULL, error_message = NULL,
    error_retryable = NULL, due_at = CASE WHEN status = 'failed' THEN now() + interval '1 day' END,
    due_since = CASE WHEN status = 'failed' THEN now() + interval '1 day' END`,
    "scheduled"
  )

/** Orders a fault of the sandbox for the next reply to a post. The parts of a thread are replies. */
export const orderFault = Effect.fnUntraced(function* (order: object) {
  const { url } = yield* Dashboard
  yield* Effect.promise(async () => {
    const response = await fetch(`${url}/sandbox/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ call: "reply", ...order })
    })
    if (!response.ok) throw new Error(`The fault was not taken: ${await response.text()}`)
  })
})

const hourMillis = 60 * 60 * 1000

/** The time in this many hours, by the real clock, which the service uses. */
export const hoursAhead = (hours: number): string => new Date(new Date().getTime() + hours * hourMillis).toISOString()

export const workspaceOf = (key: string) =>
  Effect.map(send("GET", "/v1/me", key), (text) => readCaller(text).data.workspace.id)

/** A key of an agent whose posts need a person's approval. */
export const makeAgentKey = Effect.gen(function* () {
  const { command, key } = yield* Dashboard
  const workspace = yield* workspaceOf(key)
  const args = ["key", "create", "--workspace", workspace, "--name", "Release agent", "--requires-approval", "--json"]
  return readSecret(yield* command(args)).key
})

/** Creates a person with the role viewer. */
export const makeViewer = Effect.gen(function* () {
  const { command, key } = yield* Dashboard
  const workspace = yield* workspaceOf(key)
  const viewer = { email: "grace@example.com", password: "a password of a viewer" }
  yield* command(["user", "create", "--workspace", workspace, "--email", viewer.email], viewer.password)
  return viewer
})

/** The width of the page in pixels. It exceeds the window's width if something does not fit. */
export const widthOf = (page: Page): Promise<unknown> => page.evaluate("document.body.scrollWidth")

const maxTabs = 60

/** Presses Tab until the button or link with this text has the focus. */
export const tabTo = async (page: Page, text: string) => {
  for (let presses = 0; presses < maxTabs; presses++) {
    if ((await page.evaluate("document.activeElement.textContent")) === text) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Nothing with the text ${text} gets the focus`)
}

/** Presses keys together, because on a busy machine two presses can be further apart than a shortcut allows. */
export const pressTogether = (page: Page, keys: string) =>
  page.evaluate(`for (const key of ${JSON.stringify(Array.from(keys))}) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
  }`)
