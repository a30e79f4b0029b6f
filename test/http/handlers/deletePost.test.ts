import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { agents, callTool } from "../../mcp/agent.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../../support/http/team.ts"

const group_id = "01a1fc17-dc2e-777d-ad63-5a461a1bba46"

const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const send = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    sendJson(`${url}/v1/posts${path}`, method, { ...keyHeaders(team.key), ...headers }, body)
  const create = (more: object = {}) =>
    Effect.map(
      send("POST", "", {
        content: "one",
        platforms: ["twitter", "bluesky"],
        schedule_at: "1970-01-01T00:00:00Z",
        ...more
      }),
      ({ body }): string => body.id
    )
  /** A thread with its first two parts on X and none on Bluesky. */
  const halfSent = Effect.fnUntraced(function* (more: object = {}) {
    const id = yield* create({ thread: [{ content: "two" }, { content: "three" }], ...more })
    yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, attempts = 1,
      error_code = 'rejected', error_message = 'Refused', error_retryable = false WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE post_targets SET part = 3, part_ids = '{1,2}', parts = '[
        {"id": "1", "cid": null, "url": "https://x.com/acme/status/1", "published_at": "2030-01-31T09:00:00.000Z"},
        {"id": "2", "cid": null, "url": "https://x.com/acme/status/2", "published_at": "2030-01-31T09:00:02.000Z"}]'
      WHERE post_id = ${id}::uuid AND platform = 'twitter'`
    yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
    return id
  })
  /** A post that is published on Bluesky, and failed on X with this error. */
  const outOnBluesky = Effect.fnUntraced(function* (code: string, more: object = {}) {
    const id = yield* create(more)
    yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, sent_at = now(),
      prepared = '{"text":"one"}', error_code = ${code}, error_message = 'Failed', error_retryable = false WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE post_targets SET status = 'published', published_at = now(), error_code = NULL, error_message = NULL,
      error_retryable = NULL, platform_post_id = ${`at://did:plc:acme/app.bsky.feed.post/${id}`}
      WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
    yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
    return id
  })
  return { ...team, url, sql, send, create, halfSent, outOnBluesky }
})

layer(databaseServerLayer({ others: agents }))("what deleting leaves on platforms", (it) => {
  it.effect("Each part of a half-sent thread that is out is counted", () =>
    Effect.gen(function* () {
      const { halfSent, send } = yield* start
      const id = yield* halfSent()
      assert.deepStrictEqual((yield* send("DELETE", `/${id}`)).body, {
        data: { id, deleted: true, left_on_platforms: 2 }
      })
    })
  )

  it.effect("A post that is out on one platform counts once, and one that may be out on another does not", () =>
    Effect.gen(function* () {
      const { outOnBluesky, send } = yield* start
      const id = yield* outOnBluesky("outcome_unknown")
      assert.strictEqual((yield* send("DELETE", `/${id}`)).body.data.left_on_platforms, 1)
    })
  )

  it.effect("A post of which nothing was sent leaves nothing", () =>
    Effect.gen(function* () {
      const { create, send } = yield* start
      const id = yield* create({ thread: [{ content: "two" }] })
      assert.strictEqual((yield* send("DELETE", `/${id}`)).body.data.left_on_platforms, 0)
    })
  )

  it.effect("A group's posts are counted together", () =>
    Effect.gen(function* () {
      const { create, halfSent, outOnBluesky, send } = yield* start
      yield* halfSent({ group_id })
      yield* outOnBluesky("rejected", { group_id })
      yield* create({ group_id })
      yield* halfSent()
      assert.deepStrictEqual((yield* send("DELETE", `/group/${group_id}`)).body, {
        data: { group_id, deleted: 3, left_on_platforms: 3 }
      })
    })
  )

  it.effect("A repeated deletion gets the count of the first one, and 0 where the version before stored none", () =>
    Effect.gen(function* () {
      const { halfSent, send, sql, workspaceId } = yield* start
      const id = yield* halfSent({ group_id })
      for (const [key, path] of [
        ["one", `/${id}`],
        ["group", `/group/${group_id}`]
      ] as const) {
        const remove = Effect.map(send("DELETE", path, undefined, { "idempotency-key": key }), ({ body }) => body.data)
        const first = yield* remove
        assert.deepStrictEqual(yield* remove, first)
        yield* sql`UPDATE idempotency_keys SET answer = jsonb_build_object('data', (answer -> 'data') - 'left_on_platforms')
          WHERE workspace_id = ${workspaceId}::uuid`
        assert.deepStrictEqual(yield* remove, { ...first, left_on_platforms: 0 })
      }
    })
  )

  it.effect("An agent that cancels a post which waits for the rest of its thread is told what stays", () =>
    Effect.gen(function* () {
      const { halfSent, key, send, url } = yield* start
      const id = yield* halfSent()
      yield* send("POST", `/${id}/publish`)
      const { etag } = (yield* callTool(url, key, "get_post", { id })).data
      const { data } = yield* callTool(url, key, "delete_post", { id, etag })
      assert.strictEqual(data.left_on_platforms, 2)
      assert.include(data.message, "Left on its platforms: 2 posts.")
    })
  )
})
