import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, DateTime, Deferred, Duration, Effect, Layer, Logger, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { migrate } from "../../src/repo/postgres/migrations.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { restartableDatabase } from "../chaos/support/database.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoOf } from "../support/database/testDatabase.ts"
import { ok, Script, scriptedPlatform } from "./scriptedPlatform.ts"

// Starts early: it waits for leases to end.

const role = "social_publisher_service"

/** Statements that refuse new connections and allow them again. Open connections stay open. */
interface Refusal {
  readonly begin: string
  readonly end: string
}

const refusals = {
  "its limit of connections is reached": (): Refusal => ({
    begin: `ALTER ROLE ${role} CONNECTION LIMIT 0`,
    end: `ALTER ROLE ${role} CONNECTION LIMIT -1`
  }),
  "its password was changed": (url: Redacted.Redacted): Refusal => ({
    begin: `ALTER ROLE ${role} PASSWORD 'another'`,
    end: `ALTER ROLE ${role} PASSWORD '${decodeURIComponent(new URL(Redacted.value(url)).password)}'`
  })
}

const until = <A, E, R>(effect: Effect.Effect<A, E, R>, condition: (value: A) => boolean) =>
  Effect.repeat(effect, { until: condition, schedule: Schedule.spaced("50 millis") })

/** The engine as a process of the service runs it, on the scripted platform. Waits for its first tick. */
const startProcess = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const platform = Layer.succeedContext(yield* Effect.context<Layer.Success<typeof scriptedPlatform>>())
  const built = yield* Layer.build(
    scheduledFiber.pipe(
      Layer.provideMerge(Publisher.layer),
      Layer.provide(Notifier.layer),
      Layer.provide([platform, NodeCrypto.layer]),
      Layer.provide(repoOf(url)),
      Layer.fresh
    )
  )
  const start = yield* DateTime.now
  yield* until(Context.get(built, Publisher).lastTick, (at) => DateTime.isGreaterThan(at, start))
})

/**
 * A server, an account on X, and functions that observe and change them as the superuser, whose connections are never
 * refused.
 */
const makeWorld = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "means-"))),
    (created) => Effect.promise(() => rm(created, { recursive: true, force: true }))
  )
  const { superuserUrl, url } = yield* restartableDatabase({ dataDir: directory })
  yield* Effect.provide(migrate, repoOf(url))
  const observer = yield* Layer.build(Layer.fresh(repoOf(superuserUrl)))
  const sql = Context.get(observer, SqlClient.SqlClient)
  const workspace = yield* Effect.provide(makeWorkspace(["twitter"]), observer)
  const otherWorkspace = yield* Effect.provide(makeWorkspace(["twitter"]), observer)
  const createDueIn = Effect.fnUntraced(function* (own: typeof workspace) {
    yield* Context.get(observer, Repo).posts.create(own, plan(yield* DateTime.now))
  })
  let refusedSince: number | undefined
  return {
    url,
    workspace,
    run: (statement: string) => sql.unsafe(statement),
    createDue: createDueIn(workspace),
    createDueOfOther: createDueIn(otherWorkspace),
    statuses: Effect.map(sql<{ status: string }>`SELECT status FROM post_targets ORDER BY id`, (rows) =>
      rows.map(({ status }) => status)
    ),
    leases: Effect.map(sql`SELECT FROM processes WHERE lease_until > clock_timestamp()`, (rows) => rows.length),
    /** The seconds since the database first refused to write a poisoned target. */
    refused: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* sql<{ isCalled: boolean }>`SELECT is_called AS "isCalled" FROM refusals`
      if (row?.isCalled === true) refusedSince ??= now
      return (now - (refusedSince ?? now)) / 1000
    }),
    /**
     * Connections without a statement so far, such as the one for settlements, which a process opens before it claims.
     */
    unused: Effect.map(
      sql<{ pid: number }>`SELECT pid FROM pg_stat_activity WHERE usename = ${role} AND query = ''`,
      (rows) => rows.map(({ pid }) => pid)
    ),
    close: (pids: ReadonlyArray<number>) =>
      Effect.forEach(pids, (pid) => sql`SELECT pg_terminate_backend(${pid})`, { discard: true })
  }
})

const isPublished = (statuses: ReadonlyArray<string>) => statuses.every((status) => status === "published")

// Failures are logged with their causes.
const quietly = Effect.provide(Layer.mergeAll(scriptedPlatform, Logger.layer([])))

/** Raises and records a disk error if a target of the workspace is stored as published. */
const poison = (workspace: string) => [
  "CREATE SEQUENCE refusals",
  "GRANT USAGE ON SEQUENCE refusals TO PUBLIC",
  `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM nextval('refusals');
    RAISE EXCEPTION 'could not read block 7' USING ERRCODE = '58030';
  END $$`,
  `CREATE TRIGGER refuse BEFORE UPDATE ON post_targets FOR EACH ROW
    WHEN (NEW.status = 'published' AND NEW.workspace_id = '${workspace}') EXECUTE FUNCTION refuse()`
]

describe("A process whose database can't write one target", () => {
  it.live("It keeps its lease and sends the posts of other accounts at their time", () =>
    Effect.gen(function* () {
      const { createDue, createDueOfOther, leases, refused, run, statuses, url, workspace } = yield* makeWorld
      yield* Effect.forEach(poison(workspace), run)
      yield* startProcess(url)
      yield* createDue
      yield* until(refused, (lasted) => lasted >= 7)
      yield* createDueOfOther
      const [taken] = yield* Effect.timed(until(statuses, (all) => all.includes("published")))
      assert.isBelow(Duration.toMillis(taken), 2000)
      yield* until(refused, (lasted) => lasted >= 25)
      assert.strictEqual(yield* leases, 1)
    }).pipe(quietly, Effect.scoped)
  )
})

describe("A process that can't store outcomes", () => {
  for (const [why, refusalOf] of Object.entries(refusals)) {
    it.live(
      `It sends nothing and ends its lease while it can't open the connection for settlements because ${why}, and goes on afterwards`,
      () =>
        Effect.gen(function* () {
          const { close, createDue, leases, run, statuses, unused, url } = yield* makeWorld
          const script = yield* Script
          const refusal = refusalOf(url)
          yield* startProcess(url)
          yield* run(refusal.begin)
          yield* close(yield* unused)
          yield* createDue
          const sent = Effect.andThen(
            script.nextCall,
            Effect.die(new Error("A post was sent whose outcome can't be stored"))
          )
          yield* Effect.raceFirst(
            until(leases, (count) => count === 0),
            sent
          )
          assert.deepStrictEqual(yield* statuses, ["pending"])
          yield* run(refusal.end)
          yield* until(statuses, isPublished)
          assert.deepStrictEqual(
            (yield* script.calls).map(({ call }) => call),
            ["publish"]
          )
        }).pipe(quietly, Effect.scoped)
    )
  }

  it.live(
    "Another process takes over what it has sent and can't settle, asks the platform, and nothing is sent twice",
    () =>
      Effect.gen(function* () {
        const { close, createDue, run, statuses, unused, url } = yield* makeWorld
        const script = yield* Script
        const refusal = refusals["its limit of connections is reached"]()
        const answered = yield* Deferred.make<void>()
        yield* script.respond("twitter", Effect.andThen(Deferred.await(answered), ok))
        yield* startProcess(url)
        const settling = yield* unused
        yield* createDue
        assert.strictEqual((yield* script.nextCall).call, "publish")
        yield* startProcess(url)
        yield* run(refusal.begin)
        yield* close(settling)
        yield* Deferred.succeed(answered, undefined)
        const [taken] = yield* Effect.timed(until(statuses, isPublished))
        assert.strictEqual((yield* script.nextCall).call, "reconcile")
        assert.isEmpty(yield* script.calls)
        assert.isBelow(Duration.toMillis(taken), 40_000)
        yield* run(refusal.end)
      }).pipe(quietly, Effect.scoped)
  )
})
