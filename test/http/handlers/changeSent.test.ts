import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { interleave } from "../../support/database/interleave.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../../support/http/team.ts"

const later = "1970-01-05T00:00:00.000Z"

/** The outcomes of a target's first attempt, in SQL. */
const outcomes = {
  published: "status = 'published', published_at = now(), due_at = NULL, due_since = NULL, attempts = 1",
  refused:
    "status = 'failed', due_at = NULL, due_since = NULL, attempts = 1, error_code = 'rejected', error_message = 'No', error_retryable = false",
  "without a known outcome":
    "status = 'failed', due_at = NULL, due_since = NULL, attempts = 1, sent_at = now(), prepared = '{}', error_code = 'outcome_unknown', error_message = 'Not known', error_retryable = false"
} as const

const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const send = (method: string, path: string, body?: unknown) =>
    sendJson(`${url}/v1/posts${path}`, method, keyHeaders(team.key), body)
  const change = (id: string, body: object) => send("PATCH", `/${id}`, body)
  const read = (id: string) => Effect.map(send("GET", `/${id}`), ({ body }) => body.data)
  /** A failed post with this outcome on X, refused by Bluesky. */
  const fail = (twitter: keyof typeof outcomes) =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "", {
        content: "Hello",
        platforms: ["twitter", "bluesky"],
        schedule_at: later
      })
      const id: string = body.id
      for (const [platform, outcome] of [
        ["twitter", twitter],
        ["bluesky", "refused"]
      ] as const) {
        yield* sql.unsafe(`UPDATE post_targets SET ${outcomes[outcome]} WHERE post_id = $1::uuid AND platform = $2`, [
          id,
          platform
        ])
      }
      yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
      return id
    })
  const publish = (id: string) => send("POST", `/${id}/publish`)
  return { ...team, sql, change, fail, publish, read, send }
})

layer(databaseServerLayer())("changing a post of which something is out", (it) => {
  it.effect.each(["published", "without a known outcome"] as const)(
    "A post that is %s on one platform keeps what it sends while it waits to be published on another",
    (twitter) =>
      Effect.gen(function* () {
        const { change, fail, publish, read, workspaceId } = yield* start
        const file = yield* storeFile(workspaceId, {})
        const id = yield* fail(twitter)
        assert.strictEqual((yield* publish(id)).body.data.status, "scheduled")
        const before = yield* read(id)
        for (const body of [
          { content: "Changed" },
          { platform_overrides: { twitter: "Changed" } },
          { platform_overrides: { bluesky: "Changed" } },
          { platform_settings: { twitter: { who_can_reply: "following" } } },
          { media: [{ id: file.id }] },
          { thread: [{ content: "Two" }] }
        ]) {
          const { body: problem, status } = yield* change(id, body)
          assert.deepStrictEqual([status, problem.code], [400, "invalid_state"], JSON.stringify(body))
        }
        assert.deepStrictEqual(yield* read(id), before)
      })
  )

  it.effect("The time and the tags of such a post can be changed, and naming what it has already is no change", () =>
    Effect.gen(function* () {
      const { change, fail, publish } = yield* start
      const id = yield* fail("published")
      yield* publish(id)
      const same = { content: "Hello", platform_overrides: {}, media: [], thread: [], status: "scheduled" }
      const { body, status } = yield* change(id, { ...same, tags: ["a"], scheduled_at: later })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { content: "Hello", tags: ["a"], scheduled_at: later, status: "scheduled" })
    })
  )

  it.effect("A post becomes a draft where something of it may be out, and not where something is", () =>
    Effect.gen(function* () {
      const { change, fail, publish } = yield* start
      const out = yield* fail("published")
      yield* publish(out)
      for (const body of [{ status: "draft" }, { status: "draft", scheduled_at: later }]) {
        const refused = yield* change(out, body)
        assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_state"])
      }
      const unknown = yield* fail("without a known outcome")
      yield* publish(unknown)
      const { body } = yield* change(unknown, { status: "draft" })
      assert.strictEqual(body.data.status, "draft")
    })
  )

  it.effect("A draft of which something is out keeps what it sends, and can be scheduled", () =>
    Effect.gen(function* () {
      const { change, fail, publish, sql } = yield* start
      const id = yield* fail("published")
      yield* publish(id)
      yield* sql`UPDATE post_targets SET due_at = NULL, due_since = NULL WHERE post_id = ${id}::uuid`
      yield* sql`UPDATE posts SET status = 'draft' WHERE id = ${id}::uuid`
      assert.strictEqual((yield* change(id, { content: "Changed" })).body.code, "invalid_state")
      assert.strictEqual((yield* change(id, { status: "draft", tags: ["a"] })).status, 200)
      const scheduled = yield* change(id, { status: "scheduled", scheduled_at: later })
      assert.deepStrictEqual([scheduled.status, scheduled.body.data.status], [200, "scheduled"])
    })
  )

  it.effect("A post that was refused everywhere can be changed and become a draft", () =>
    Effect.gen(function* () {
      const { change, fail, publish } = yield* start
      const id = yield* fail("refused")
      yield* publish(id)
      const { body, status } = yield* change(id, { content: "Changed", status: "draft" })
      assert.deepStrictEqual([status, body.data.content, body.data.status], [200, "Changed", "draft"])
    })
  )

  it.effect("A change that waits for an attempt to end finds what it has published", () =>
    Effect.gen(function* () {
      const { change, fail, publish, sql } = yield* start
      const id = yield* fail("refused")
      yield* publish(id)
      const settle = Effect.gen(function* () {
        yield* sql`UPDATE posts SET status = status WHERE id = ${id}::uuid`
        yield* sql.unsafe(
          `UPDATE post_targets SET ${outcomes.published}, error_code = NULL, error_message = NULL, error_retryable = NULL
          WHERE post_id = $1::uuid AND platform = 'twitter'`,
          [id]
        )
      })
      const [, changed] = yield* interleave(settle, change(id, { content: "Changed" }))
      const { body } = yield* changed
      assert.strictEqual(body.code, "invalid_state")
    })
  )
})
