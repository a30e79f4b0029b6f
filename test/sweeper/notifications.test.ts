import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { type WorkspaceId, smallestIdAt } from "../../src/domain/ids.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { sweeps } from "../../src/sweeper.ts"
import { anotherRepo, repoLayer } from "../support/database/testDatabase.ts"
import { notify, makeTeam } from "../support/http/team.ts"
import { withWallClockAhead } from "../support/wallClock.ts"

/** In milliseconds. */
const day = 86_400_000

const titles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly title: string }>`SELECT title FROM notifications ORDER BY id`
  return rows.map(({ title }) => title)
})

/** Notifies with the id of this time: generated ids never go back behind those of another test with a later clock. */
const notifyNow = Effect.fn(function* (workspaceId: WorkspaceId, title: string) {
  const sql = yield* SqlClient.SqlClient
  yield* notify(workspaceId, title)
  const id = smallestIdAt(yield* DateTime.now)
  yield* sql`UPDATE notifications SET id = ${id}::uuid WHERE workspace_id = ${workspaceId}::uuid AND title = ${title}`
})

layer(repoLayer)("the retention of notifications", (it) => {
  it.effect("Notifications are kept for 90 days, and who read them as long", () =>
    Effect.gen(function* () {
      const { notifications } = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const { user, workspaceId } = yield* makeTeam
      yield* notifyNow(workspaceId, "old")
      yield* notifications.markAllRead({ userId: user.id, workspaceId })
      yield* withWallClockAhead(day)(notifyNow(workspaceId, "recent"))
      yield* withWallClockAhead(90 * day)(sweeps.notifications)
      assert.deepStrictEqual(yield* titles, ["old", "recent"])
      yield* withWallClockAhead(90 * day + 1_000)(sweeps.notifications)
      assert.deepStrictEqual(yield* titles, ["recent"])
      assert.deepStrictEqual(yield* sql`SELECT FROM notification_reads`, [])
    })
  )

  it.effect("More than a batch is removed in several, also by two processes at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { workspaceId } = yield* makeTeam
      yield* notifyNow(workspaceId, "old")
      yield* sql`INSERT INTO notifications (id, workspace_id, type, title, message, metadata, created_at)
        SELECT overlay(n.id::text placing lpad(to_hex(i), 12, '0') from 25)::uuid, n.workspace_id, n.type, n.title, n.message,
          n.metadata, n.created_at
        FROM notifications n, generate_series(1, 2500) i WHERE n.workspace_id = ${workspaceId}::uuid`
      const sweep = withWallClockAhead(92 * day)(sweeps.notifications)
      const elsewhere = yield* Effect.forkChild(Effect.provideService(sweep, Repo, yield* anotherRepo))
      yield* sweep
      yield* Fiber.join(elsewhere)
      assert.deepStrictEqual(yield* titles, [])
    })
  )
})
