import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { errorPaths, keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const platforms = ["twitter", "bluesky"]

/** A part as the API shows it, with some members changed. */
const shown = (content: string, more: object = {}) => ({
  content,
  platform_overrides: {},
  media: [],
  card: null,
  platforms: null,
  ...more
})

const pending = (part: number) => ({
  part,
  status: "pending",
  platform_post_url: null,
  published_at: null,
  error: null
})

const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const sendAs =
    (key: string) =>
    (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
      sendJson(`${url}/v1/posts${path}`, method, { ...keyHeaders(key), ...headers }, body)
  const send = sendAs(team.key)
  const read = (id: string) => Effect.map(send("GET", `/${id}`), ({ body }) => body.data)
  const create = (thread: ReadonlyArray<object>, more: object = {}) =>
    Effect.map(send("POST", "", { content: "one", platforms, thread, ...more }), ({ body }): string => body.id)
  /** Makes a thread's first part published on X and its second part refused. */
  const failAtSecond = (id: string) =>
    Effect.gen(function* () {
      yield* sql`UPDATE post_targets SET due_at = NULL, due_since = NULL, attempts = 1, part = 2, status = 'failed',
        parts = '[{"id": "1", "cid": null, "url": "https://x.com/acme/status/1", "published_at": "2030-01-31T09:00:00.000Z"}]',
        part_ids = '{1}', error_code = 'rejected', error_message = 'Part 2 of 3: Refused', error_retryable = false
        WHERE post_id = ${id}::uuid`
      yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
    })
  return { ...team, sql, sendAs, send, read, create, failAtSecond }
})

layer(databaseServerLayer())("threads", (it) => {
  it.effect("A thread is stored and shown with its parts, and each platform with those that it gets", () =>
    Effect.gen(function* () {
      const { create, read, workspaceId } = yield* start
      const file = yield* storeFile(workspaceId, { alt: "A cat" })
      const id = yield* create([
        { content: "two", platforms: ["twitter"], media: null, platform_overrides: null },
        { content: "three", platform_overrides: { bluesky: "three there", twitter: null }, platforms: null },
        { content: "", media: [{ id: file.id, alt: null }] }
      ])
      const post = yield* read(id)
      assert.deepStrictEqual(post.thread.slice(0, 2), [
        shown("two", { platforms: ["twitter"] }),
        shown("three", { platform_overrides: { bluesky: "three there" } })
      ])
      assert.deepInclude(post.thread[2].media[0], { id: file.id, alt: "A cat" })
      assert.deepStrictEqual(
        post.post_targets.map(({ parts }: { readonly parts: unknown }) => parts),
        [[1, 2, 3, 4].map(pending), [1, 2, 3].map(pending)]
      )
    })
  )

  it.effect("The error of a thread tells its part and its reason, also beside the part", () =>
    Effect.gen(function* () {
      const { create, failAtSecond, read } = yield* start
      const id = yield* create([{ content: "two" }, { content: "three" }], { schedule_at: "1970-01-01T01:00:00Z" })
      yield* failAtSecond(id)
      const [target] = (yield* read(id)).post_targets
      assert.deepStrictEqual(target.error, {
        code: "rejected",
        message: "Part 2 of 3: Refused",
        retryable: false,
        facts: { may_be_published: false, reason: "X: Refused", part: 2 }
      })
      assert.deepStrictEqual(target.parts[1].error, target.error)
    })
  )

  it.effect(
    "Changing the parts makes another revision, naming the same ones does not, and null means that they stay",
    () =>
      Effect.gen(function* () {
        const { create, read, send } = yield* start
        const id = yield* create([{ content: "two" }])
        const revisionAfter = (thread: unknown) =>
          Effect.map(send("PATCH", `/${id}`, { thread }), ({ body }) => body.data.revision)
        assert.strictEqual(yield* revisionAfter([{ content: "two", media: [], platform_overrides: {} }]), 1)
        assert.strictEqual(yield* revisionAfter(null), 1)
        assert.strictEqual(yield* revisionAfter([{ content: "two" }, { content: "three" }]), 2)
        assert.strictEqual(yield* revisionAfter([{ content: "two" }, { content: "three", platforms: ["bluesky"] }]), 3)
        assert.strictEqual(yield* revisionAfter([]), 4)
        const post = yield* read(id)
        assert.deepStrictEqual([post.thread, post.post_targets[0].parts], [[], null])
      })
  )

  it.effect("A thread of 24 parts is taken and one of 25 is refused, with the size of all texts", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const parts = (count: number, content = "x") =>
        Array.from({ length: count }, (_, n) => ({ content: `${content}${n}` }))
      const post = (thread: unknown) => send("POST", "", { content: "one", platforms: ["bluesky"], thread })
      assert.strictEqual((yield* post(parts(24))).status, 201)
      const tooMany = yield* post(parts(25))
      assert.deepStrictEqual([tooMany.status, errorPaths(tooMany.body)], [400, [["thread"]]])
      const tooLarge = yield* post(parts(10, "x".repeat(7_000)))
      assert.deepStrictEqual([tooLarge.status, errorPaths(tooLarge.body)], [400, [[]]])
    })
  )

  it.effect("The same request with an idempotency key gives the same thread, and with another thread a 422", () =>
    Effect.gen(function* () {
      const { send } = yield* start
      const headers = { "idempotency-key": "a-thread" }
      const body = { content: "one", platforms, thread: [{ content: "two" }] }
      const first = yield* send("POST", "", body, headers)
      const second = yield* send("POST", "", body, headers)
      assert.deepStrictEqual([first.status, second.status, second.body.id], [201, 201, first.body.id])
      const other = yield* send("POST", "", { ...body, thread: [{ content: "three" }] }, headers)
      assert.strictEqual(other.status, 422)
    })
  )

  it.effect("A thread is found by a text of any of its parts", () =>
    Effect.gen(function* () {
      const { create, send } = yield* start
      const id = yield* create([
        { content: "A needle" },
        { content: "three", platform_overrides: { bluesky: "thimble" } }
      ])
      for (const text of ["needle", "THIMBLE"]) {
        const { body } = yield* send("GET", `?text=${text}`)
        assert.deepStrictEqual(
          body.data.map((post: { readonly id: string }) => post.id),
          [id]
        )
      }
      assert.deepStrictEqual((yield* send("GET", "?text=twitter")).body.data, [])
    })
  )

  it.effect("Approval is asked for and given for all parts, and shows those of the request before", () =>
    Effect.gen(function* () {
      const { create, read, send, sendAs, workspaceId } = yield* start
      const drafting = sendAs((yield* makeKey(workspaceId, { requiresApproval: true })).key)
      const body = { content: "one", platforms, thread: [{ content: "two" }], schedule_at: "1970-01-05T00:00:00Z" }
      const { body: created } = yield* drafting("POST", "", body)
      const changed = yield* drafting(
        "PATCH",
        `/${created.id}`,
        {
          thread: [{ content: "other" }],
          status: "scheduled"
        },
        { "if-match": '"1"' }
      )
      assert.deepStrictEqual(changed.body.data.approval.requested.thread, [shown("two")])
      const stale = yield* send("POST", `/${created.id}/approve`, { revision: 1 })
      assert.strictEqual(stale.status, 409)
      const approved = yield* send("POST", `/${created.id}/approve`, { revision: 2 })
      assert.strictEqual(approved.status, 200)
      assert.strictEqual((yield* read(created.id)).status, "scheduled")
      yield* create([])
    })
  )

  it.effect("Of a thread that failed what is missing is copied once, for platforms that stand at the same part", () =>
    Effect.gen(function* () {
      const { create, failAtSecond, read, send, sql } = yield* start
      const id = yield* create([{ content: "two" }, { content: "three", platforms: ["twitter"] }], {
        schedule_at: "1970-01-01T00:00:00Z"
      })
      yield* failAtSecond(id)
      const failed = yield* read(id)
      assert.deepStrictEqual(failed.post_targets[0].parts[1].error, failed.post_targets[0].error)
      yield* sql`UPDATE post_targets SET part = 1, parts = NULL WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
      const both = yield* send("POST", `/${id}/copy`, { what: "missing" })
      assert.deepStrictEqual([both.status, both.body.code], [400, "invalid_state"])
      const missing = { what: "missing", platforms: ["twitter"] }
      const { body } = yield* send("POST", `/${id}/copy`, missing)
      assert.deepInclude(body.data, {
        content: "two",
        reply_to: id,
        copied_from: id,
        thread: [shown("three", { platforms: ["twitter"] })]
      })
      assert.strictEqual((yield* send("POST", `/${id}/copy`, missing)).status, 400)
      const [target] = yield* sql`SELECT reply_to, account_id FROM post_targets WHERE post_id = ${body.data.id}::uuid`
      assert.deepStrictEqual(target?.["reply_to"], {
        root: { platformPostId: "1", cid: null },
        parent: { platformPostId: "1", cid: null },
        parentAt: "2030-01-31T09:00:00.000Z"
      })
    })
  )

  it.effect("A thread is sent back as it was read after a platform of the post was taken from it", () =>
    Effect.gen(function* () {
      const { create, read, send } = yield* start
      const id = yield* create([{ content: "two", platforms: ["bluesky"] }])
      assert.strictEqual((yield* send("PATCH", `/${id}`, { platforms: ["twitter"] })).status, 200)
      const asRead = (yield* read(id)).thread.map(({ content, platforms: named }: Record<string, unknown>) => ({
        content,
        platforms: named
      }))
      assert.strictEqual((yield* send("PATCH", `/${id}`, { thread: asRead })).status, 200)
      const other = yield* send("PATCH", `/${id}`, { thread: [{ content: "two", platforms: ["linkedin"] }] })
      assert.deepStrictEqual(errorPaths(other.body), [["thread", 0, "platforms", 0]])
    })
  )

  it.effect("A copy begins with the first part of which something is left", () =>
    Effect.gen(function* () {
      const { create, failAtSecond, read, send, sql, workspaceId } = yield* start
      const file = yield* storeFile(workspaceId, { alt: "A cat" })
      const id = yield* create([{ content: "", media: [{ id: file.id }] }, { content: "three" }], {
        platforms: ["twitter"],
        schedule_at: "1970-01-01T00:00:00Z"
      })
      yield* failAtSecond(id)
      yield* sql`DELETE FROM post_media WHERE post_id = ${id}::uuid`
      yield* sql`UPDATE media SET removed_at = now() WHERE id = ${file.id}::uuid`
      const { body, status } = yield* send("POST", `/${id}/copy`, { what: "missing" })
      assert.strictEqual(status, 201)
      assert.deepInclude(yield* read(body.data.id), { content: "three", thread: [], reply_to: id })
      assert.lengthOf(body.warnings, 1)
    })
  )

  it.effect("What parts of a deleted thread own on X stays known, each under its own number", () =>
    Effect.gen(function* () {
      const { create, failAtSecond, send, sql } = yield* start
      const id = yield* create([{ content: "two" }, { content: "three" }], {
        platforms: ["twitter"],
        schedule_at: "1970-01-01T00:00:00Z"
      })
      yield* failAtSecond(id)
      yield* sql`UPDATE post_targets SET sent_at = now(), prepared = '{"text": "two"}', error_code = 'outcome_unknown' WHERE post_id = ${id}::uuid`
      assert.strictEqual((yield* send("DELETE", `/${id}`)).status, 200)
      const kept = yield* sql`SELECT d.part, d.platform_post_id AS id, d.texts FROM deleted_targets d ORDER BY d.part`
      assert.deepStrictEqual(kept, [
        { part: 1, id: "1", texts: [] },
        { part: 2, id: null, texts: ["two"] }
      ])
    })
  )

  it.effect("The history tells which part a person has found published, and who it was", () =>
    Effect.gen(function* () {
      const { create, failAtSecond, send, sql } = yield* start
      const id = yield* create([{ content: "two" }, { content: "three" }], {
        platforms: ["twitter"],
        schedule_at: "1970-01-01T00:00:00Z"
      })
      yield* failAtSecond(id)
      yield* sql`UPDATE post_targets SET sent_at = now(), prepared = '{"text": "two"}', error_code = 'outcome_unknown'
        WHERE post_id = ${id}::uuid`
      const url = "https://x.com/i/status/3234567890123456002"
      assert.strictEqual(
        (yield* send("POST", `/${id}/targets/twitter/resolve`, { outcome: "published", url })).status,
        200
      )
      const { body } = yield* send("GET", `/${id}/history`)
      const found = body.data.find(({ event }: { event: { type: string } }) => event.type.endsWith("part_published"))
      assert.deepInclude(found.event.data, { platform: "twitter", status: "failed", part: 2, url })
      assert.strictEqual(found.by.type, "key")
    })
  )
})
