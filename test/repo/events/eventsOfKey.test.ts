import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { countingRows, inBulk } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeKey } from "../../support/http/team.ts"

const all = { limit: 21, postId: null, type: null, after: null, before: null }

/** Inserts events of a key at every third position, starting at `from`. */
const insert = (workspaceId: string, key: string, type: string, count: number, from: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO events (id, workspace_id, type, audience, data, post_id, by_key, created_at, position)
      SELECT uuidv7(), ${workspaceId}::uuid, ${type}, 'webhooks', jsonb_build_object('post_id', id), id,
        ${key}::uuid, now(), ${from}::int + g * 3
      FROM generate_series(1, ${count}::int) g CROSS JOIN LATERAL (SELECT uuidv7() AS id WHERE g > 0) post`
  )

layer(repoLayer, { excludeTestServices: true })("events of a key", (it) => {
  it.effect("What an idle key did is found without reading what others did since, with kept plans too", () =>
    Effect.gen(function* () {
      const { events } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* makeWorkspace()
      const idle = yield* makeKey(workspaceId)
      const busy = yield* makeKey(workspaceId)
      yield* insert(workspaceId, idle.id, "post.deleted", 3, 0)
      yield* inBulk(insert(workspaceId, busy.id, "post.deleted", 5_000, 1_000))
      yield* sql`ANALYZE events`
      yield* events.list(workspaceId, { ...all, byKey: idle.id })
      const found = yield* countingRows(
        Effect.replicateEffect(events.list(workspaceId, { ...all, byKey: idle.id }), 10)
      )
      assert.lengthOf(found.value[9] ?? [], 3)
      // The three events, and the workspace that each statement looks up.
      assert.isAtMost(found.rows, 10 * 6)
      const page = yield* countingRows(events.list(workspaceId, { ...all, byKey: busy.id }))
      assert.lengthOf(page.value, 21)
      assert.isAtMost(page.rows, 2 * 21)
    })
  )

  it.effect(
    "What a busy key did of a rare type is found without reading what else it did, nor what others did of it",
    () =>
      Effect.gen(function* () {
        const { events } = yield* Repo
        const sql = yield* SqlClient.SqlClient
        const workspaceId = yield* makeWorkspace()
        const busy = yield* makeKey(workspaceId)
        const other = yield* makeKey(workspaceId)
        yield* inBulk(insert(workspaceId, busy.id, "post.scheduled", 5_000, 0))
        yield* inBulk(insert(workspaceId, other.id, "post.deleted", 5_000, 1))
        yield* insert(workspaceId, busy.id, "post.deleted", 3, 2)
        yield* sql`ANALYZE events`
        for (const [type, count] of [
          ["post.deleted", 3],
          ["post.published", 0]
        ] as const) {
          const ask = events.list(workspaceId, { ...all, byKey: busy.id, type })
          yield* ask
          const found = yield* countingRows(Effect.replicateEffect(ask, 10))
          assert.lengthOf(found.value[9] ?? [], count)
          assert.isAtMost(found.rows, 10 * 6)
        }
      })
  )
})
