import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Fiber, Option, Redacted, Sink } from "effect"
import { SqlClient } from "effect/sql"
import { gunzipSync, gzipSync } from "node:zlib"
import { Backups } from "../../src/backup/Backups.ts"
import { omittedTables, savedTables } from "../../src/backup/tables.ts"
import { migrate } from "../../src/repo/postgres/migrations.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeDuePosts } from "../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { makeKey } from "../support/http/team.ts"
import { recordProgress } from "../support/recordProgress.ts"
import { openDatabase, restoreBytes, rewriteBackup, rowsOf, takeBackup } from "./backedUpDatabase.ts"

const awkwardText =
  'A "quote", a \\ backslash,\na line break, \u2028 a separator, {"an": ["object"]}, \u{1F469}\u200D\u{1F680}'

/** A row in every table that a backup holds. */
const makeRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* Repo
  const workspaceId = yield* makeWorkspace()
  const user = yield* repo.users.create(workspaceId, "ada@example.com", Redacted.make("a long and secret sentence"))
  yield* makeKey(workspaceId)
  yield* repo.posts.create(workspaceId, {
    ...plan(null, ["twitter", "bluesky"]),
    content: awkwardText,
    tags: ["a,b", "{c}"]
  })
  const slotAt = DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")
  yield* repo.posts.create(workspaceId, { ...plan(slotAt), slotAt })
  yield* sql`INSERT INTO queues (workspace_id, time_zone, entries, revision, updated_at, updated_by_user)
    VALUES (${workspaceId}::uuid, 'Europe/Berlin', '[{"weekday": "monday", "time": "09:00"}]', 2, now(), ${user.id}::uuid)`
  yield* sql`INSERT INTO notifications (id, workspace_id, type, title, message, metadata, created_at)
    VALUES (gen_random_uuid(), ${workspaceId}::uuid, 'post.failed', 'A title', ${awkwardText}, '{"a": [1.50, null]}', now())`
  yield* sql`INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at)
    SELECT workspace_id, id, ${user.id}::uuid, now() FROM notifications`
  const { webhook } = yield* repo.webhooks.create(workspaceId, {
    url: "https://hooks.example/a?b={c}",
    description: awkwardText,
    events: ["post.failed", "post.published"]
  })
  yield* repo.webhooks.test(workspaceId, webhook.id)
  yield* sql`INSERT INTO deleted_targets (id, workspace_id, platform, account_id, texts, sent_until, deleted_at)
    VALUES (gen_random_uuid(), ${workspaceId}::uuid, 'twitter', '1', ARRAY[${awkwardText}], now(), now())`
  yield* sql`INSERT INTO media_store (id) VALUES (gen_random_uuid())`
  yield* sql`INSERT INTO media (id, workspace_id, status, size, hash, files, alt, created_at, kept_until, next_at)
    VALUES (gen_random_uuid(), ${workspaceId}::uuid, 'processing', 1, sha256('a'), '{ab}', ${awkwardText}, now(), now(), now())`
  yield* sql`INSERT INTO post_media (workspace_id, post_id, media_id, position)
    SELECT workspace_id, (SELECT id FROM posts LIMIT 1), id, 0 FROM media`
  yield* sql`INSERT INTO post_approvals
    (workspace_id, post_id, revision, status, requested_at, content, platform_overrides, decided_at, reason)
    SELECT workspace_id, id, 1, 'rejected', now(), content, '{"bluesky": "{c}"}', now(), ${awkwardText} FROM posts LIMIT 1`
  yield* sql`INSERT INTO post_target_uploads (workspace_id, target_id, status, start_at, next_at, revision)
    SELECT workspace_id, id, 'waiting', now(), now(), 1 FROM post_targets LIMIT 1`
  yield* sql`INSERT INTO address_looks (target_id, part, prepared, sent_at, due_at)
    SELECT id, 1, ${JSON.stringify({ text: awkwardText })}::jsonb, now(), now() FROM post_targets LIMIT 1`
  yield* sql`INSERT INTO channels (id, workspace_id, kind, name, sealed_url, masked_url, types, created_at)
    VALUES (gen_random_uuid(), ${workspaceId}::uuid, 'slack', ${awkwardText}, '\\x00ff', '…', '{post.failed}', now())`
  yield* sql`INSERT INTO outlooks (workspace_id, hour, time_zone, due_at, next_at)
    VALUES (${workspaceId}::uuid, 17, 'Europe/Berlin', now(), now())`
  yield* sql`INSERT INTO notification_preferences (workspace_id, user_id, type, mode)
    SELECT workspace_id, user_id, 'post.failed', 'digest' FROM members`
  yield* sql`INSERT INTO idempotency_keys (workspace_id, key, fingerprint, answer, created_at)
    VALUES (${workspaceId}::uuid, 'k', '\\x00ff', '{"status": 201}', now())`
  return workspaceId
})

/** Columns that a restore sets. */
const restoredColumns = (table: string): ReadonlyArray<string> => {
  if (table === "notifications") return ["awaits_delivery"]
  return table === "post_targets" ? ["reconcile_from", "reconcile_until"] : []
}

/** Forgets that a workspace was told of the hold, which the restore itself adds. */
const forgetHeld = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`DELETE FROM notifications WHERE type = 'publishing.held'`
)

const isEmpty = Effect.map(rowsOf("workspaces"), (rows) => rows.length === 0)

describe("A backup", () => {
  it.live("A restored database has every row that was backed up, to the byte and the microsecond", () =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      const target = yield* openDatabase()
      yield* Effect.provideContext(makeRows, source)
      const { bytes, snapshot } = yield* Effect.provideContext(takeBackup, source)
      const restored = yield* Effect.provideContext(restoreBytes(bytes), target)
      yield* Effect.provideContext(forgetHeld, target)
      let rows = 0
      for (const table of savedTables) {
        const without = restoredColumns(table)
        const before = yield* Effect.provideContext(rowsOf(table, without), source)
        assert.isNotEmpty(before, table)
        assert.deepStrictEqual(yield* Effect.provideContext(rowsOf(table, without), target), before)
        rows += before.length
      }
      assert.deepStrictEqual([snapshot.rows, restored.rows, restored.openTargets], [rows, rows, 3])
      assert.deepStrictEqual(restored.takenAt, snapshot.takenAt)
    }).pipe(Effect.scoped)
  )

  it.live("Rows that no version can read are backed up and restored as they are, with all others", () =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      const target = yield* openDatabase()
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* makeRows
        yield* sql`UPDATE post_targets SET due_at = '-infinity', due_since = '-infinity', attempts = 2147483647 WHERE due_at IS NOT NULL`
        yield* sql`UPDATE posts SET content = repeat('a', 2000000), card = '{"thumb": {"size": 1e300}}', media = '{}'`
        yield* sql`UPDATE media SET files = '{NULL}', kept_until = '294276-12-31'`
        yield* sql`UPDATE notifications SET type = 'unknown', metadata = '[]'`
        yield* sql`UPDATE webhooks SET secret = '', events = '{unknown}'`
      }).pipe(Effect.provideContext(source))
      const { bytes } = yield* Effect.provideContext(takeBackup, source)
      yield* Effect.provideContext(restoreBytes(bytes), target)
      yield* Effect.provideContext(forgetHeld, target)
      for (const table of savedTables) {
        const without = restoredColumns(table)
        const before = yield* Effect.provideContext(rowsOf(table, without), source)
        assert.deepStrictEqual(yield* Effect.provideContext(rowsOf(table, without), target), before)
      }
    }).pipe(Effect.scoped)
  )

  it.live("A backup reports its rows, and a restore the bytes of the file and then the targets that it holds", () =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      const target = yield* openDatabase()
      yield* Effect.provideContext(makeRows, source)
      yield* Effect.provideContext(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`ANALYZE`),
        source
      )
      const amount = { _tag: "Amount", isTotalEstimated: false } as const
      yield* recordProgress((last) =>
        Effect.gen(function* () {
          const { bytes, snapshot } = yield* Effect.provideContext(takeBackup, source)
          const { rows } = snapshot
          assert.deepStrictEqual(last(), [
            { ...amount, title: "Backing up", done: rows, total: rows, isTotalEstimated: true, unit: "rows" }
          ])
          yield* Effect.provideContext(restoreBytes(bytes), target)
          const size = bytes.length
          assert.deepStrictEqual(last().slice(1), [
            { ...amount, title: "Restoring", done: size, total: size, unit: "bytes" },
            { ...amount, title: "Holding publishing", done: 3, total: 3, unit: "targets" }
          ])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("What awaited its delivery at the backup is not delivered after the restore, but the hold is", () =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      const target = yield* openDatabase()
      yield* Effect.provideContext(makeRows, source)
      const awaiting = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`SELECT type FROM notifications WHERE awaits_delivery ORDER BY type`
      )
      const before = yield* Effect.provideContext(awaiting, source)
      assert.deepStrictEqual(before, [{ type: "post.failed" }])
      const { bytes } = yield* Effect.provideContext(takeBackup, source)
      yield* Effect.provideContext(restoreBytes(bytes), target)
      assert.deepStrictEqual(yield* Effect.provideContext(awaiting, target), [{ type: "publishing.held" }])
    }).pipe(Effect.scoped)
  )

  it.live("A backup that is taken while publishing is held does not know what went out since the earlier one", () =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      const earlier = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
      const { endHold, markRestored } = Context.get(source, Backups)
      yield* Effect.provideContext(makeRows, source)
      yield* markRestored(earlier)
      const held = yield* Effect.provideContext(takeBackup, source)
      yield* endHold
      const resumed = yield* Effect.provideContext(takeBackup, source)
      const restoredTime = Effect.fn(function* (bytes: Uint8Array) {
        const target = yield* openDatabase()
        const restored = yield* Effect.provideContext(restoreBytes(bytes), target)
        const plan = yield* Effect.flatMap(Context.get(target, Backups).planResume, Effect.fromOption)
        assert.deepStrictEqual(plan.takenAt, restored.takenAt)
        return restored.takenAt
      })
      assert.deepStrictEqual(yield* restoredTime(held.bytes), earlier)
      assert.deepStrictEqual(yield* restoredTime(resumed.bytes), resumed.snapshot.takenAt)
    }).pipe(Effect.scoped)
  )

  it.live("Every table is in a backup, or left out for a reason that is stated", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
      assert.sameMembers(
        tables.map(({ name }) => name),
        [...savedTables, ...Object.keys(omittedTables)]
      )
    }).pipe((check) => Effect.flatMap(openDatabase(), (source) => Effect.provideContext(check, source)), Effect.scoped)
  )

  it.live("A backup has what was committed when it began, whatever is written meanwhile, and holds up no start", () =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      const target = yield* openDatabase()
      const { backup } = Context.get(source, Backups)
      yield* Effect.provideContext(makeDuePosts(2, 1_500), source)
      const chunks: Array<Uint8Array> = []
      const began = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const sink = Sink.forEach((bytes: Uint8Array) =>
        Effect.gen(function* () {
          chunks.push(bytes)
          yield* Deferred.succeed(began, undefined)
          yield* Deferred.await(goOn)
        })
      )
      const running = yield* Effect.forkChild(backup(sink))
      yield* Deferred.await(began)
      yield* Effect.provideContext(Effect.andThen(makeDuePosts(1, 1), migrate), source)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(running)
      yield* Effect.provideContext(restoreBytes(new Uint8Array(Buffer.concat(chunks)), true), target)
      assert.lengthOf(yield* Effect.provideContext(rowsOf("posts"), target), 3_000)
      assert.lengthOf(yield* Effect.provideContext(rowsOf("workspaces"), target), 2)
    }).pipe(Effect.scoped)
  )

  it.live("A backup of an earlier migration is restored with the defaults of the columns that it lacks", () =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      const target = yield* openDatabase()
      yield* Effect.provideContext(makeRows, source)
      // The earlier migration has no such tables, and a column of the same name here has no default.
      yield* Effect.provideContext(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.all([sql`DELETE FROM post_target_uploads`, sql`DELETE FROM post_approvals`, sql`DELETE FROM queues`])
        ),
        source
      )
      const { bytes } = yield* Effect.provideContext(takeBackup, source)
      const earlier = rewriteBackup(bytes, (line) =>
        line
          .replace(/"migration":\d+/, '"migration":1')
          .replaceAll(/"revision",|"revision":1,|"owner_id",|"owner_id":null,/g, "")
      )
      yield* Effect.provideContext(restoreBytes(earlier), target)
      assert.deepStrictEqual(
        yield* Effect.provideContext(rowsOf("posts"), target),
        yield* Effect.provideContext(rowsOf("posts"), source)
      )
    }).pipe(Effect.scoped)
  )
})

describe("A restore is refused", () => {
  /** Restores into an empty database, which must be as empty afterwards, and returns the message. */
  const refusal = Effect.fn(function* (bytes: Uint8Array, keyByte?: number) {
    const target = yield* openDatabase(keyByte)
    const error = yield* Effect.flip(Effect.provideContext(restoreBytes(bytes), target))
    assert.isTrue(yield* Effect.provideContext(isEmpty, target))
    assert.isTrue(
      Option.isNone(
        yield* Effect.provideContext(
          Effect.flatMap(Repo, (repo) => repo.publishingState.hold),
          target
        )
      )
    )
    return error.message
  })

  const withBackup = <A, E, R>(use: (bytes: Uint8Array) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const source = yield* openDatabase()
      yield* Effect.provideContext(Effect.andThen(makeRows, makeDuePosts(1, 500)), source)
      const { bytes } = yield* Effect.provideContext(takeBackup, source)
      return yield* use(bytes)
    }).pipe(Effect.scoped)

  it.live(
    "where the file is cut off, garbled, of another kind, goes on after its end, or does not add up, and the database stays empty",
    () =>
      withBackup(
        Effect.fnUntraced(function* (bytes) {
          const middle = Math.floor(bytes.length / 2)
          const garbled = bytes.with(middle, (bytes[middle] ?? 0) ^ 0xff)
          const damaged =
            /^The backup can't be read, it is cut off or damaged: |^This is not a backup of this service, or it is damaged$/
          assert.match(yield* refusal(bytes.slice(0, middle)), damaged)
          assert.match(yield* refusal(garbled), damaged)
          assert.match(yield* refusal(bytes.slice(0, 0)), /cut off/)
          assert.match(yield* refusal(new TextEncoder().encode("SELECT 1")), damaged)
          assert.match(yield* refusal(new Uint8Array(gzipSync('{"a":1}\n'))), damaged)
          const changed = gunzipSync(bytes).toString("utf8").replace('"Hello"', '"Bye"')
          assert.match(yield* refusal(new Uint8Array(gzipSync(changed))), damaged)
          const extended = `${gunzipSync(bytes).toString("utf8")}{}\n`
          assert.match(yield* refusal(new Uint8Array(gzipSync(extended))), damaged)
          const withoutValues = rewriteBackup(bytes, (line) => (line.includes("Hello") ? "{}" : line))
          assert.match(yield* refusal(withoutValues), damaged)
        })
      )
  )

  it.live("where the file is of a later migration or format", () =>
    withBackup(
      Effect.fnUntraced(function* (bytes) {
        const later = rewriteBackup(bytes, (line) => line.replace(/"migration":\d+/, '"migration":9999'))
        assert.match(
          yield* refusal(later),
          /^The backup is from migration 9999, but this version of the service has \d+; /
        )
        const format = rewriteBackup(bytes, (line) => line.replace('"version":1', '"version":2'))
        assert.match(yield* refusal(format), /^The backup was made by a newer version of the service; /)
      })
    )
  )

  it.live(
    "where no key opens the credentials, unless that is accepted: these accounts need to be connected again",
    () =>
      withBackup(
        Effect.fnUntraced(function* (bytes) {
          const opened = rewriteBackup(bytes, (line) => line)
          assert.match(
            yield* refusal(opened, 8),
            /^No key in ENCRYPTION_KEY decrypts the stored credentials of 3 of 3 accounts\. /
          )
          const target = yield* openDatabase(8)
          const restored = yield* Effect.provideContext(restoreBytes(bytes, true), target)
          assert.strictEqual(restored.unreadableAccounts, 3)
          const accounts = yield* Effect.provideContext(rowsOf("integrations"), target)
          for (const account of accounts) assert.include(account, '"status": "needs_reconnect"')
        })
      )
  )

  it.live("where the database has a workspace, or the service runs on it", () =>
    withBackup(
      Effect.fnUntraced(function* (bytes) {
        const used = yield* openDatabase()
        yield* Effect.provideContext(makeWorkspace(), used)
        const first = yield* Effect.flip(Effect.provideContext(restoreBytes(bytes), used))
        assert.match(first.message, /^The database has workspaces already; /)
        const running = yield* openDatabase()
        const heartbeat = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`INSERT INTO processes (id, started_at, lease_until)
            VALUES (gen_random_uuid(), now(), now() + interval '25 seconds')`
        )
        yield* Effect.provideContext(heartbeat, running)
        const second = yield* Effect.flip(Effect.provideContext(restoreBytes(bytes), running))
        assert.match(second.message, /^The service runs on this database; /)
      })
    )
  )
})
