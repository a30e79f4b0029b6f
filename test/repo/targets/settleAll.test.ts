import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Context, Effect, Exit, Fiber, Latch, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { connect, createServer, type Socket } from "node:net"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { eventsOfSettlements } from "../../../src/notifier/settledEvents.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { listenLocally } from "../../chaos/support/listenLocally.ts"
import { lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { someLockIsAwaited } from "../../support/database/programs.ts"
import { freshDatabase, repoOf } from "../../support/database/testDatabase.ts"
import { published } from "./settlements.ts"

const begin = "BEGIN DEFERRABLE"

/** Passes on what a client and the server send. Counts round trips, and can have the server refuse to begin a transaction. */
const relay = Effect.fnUntraced(function* (target: URL) {
  const state = { refusesBegin: false, roundTrips: 0 }
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) })
    let isAnswered = true
    open.add(near).add(far)
    near.on("data", (chunk) => {
      if (isAnswered) state.roundTrips += 1
      isAnswered = false
      const text = chunk.toString("latin1")
      // Of the same length, so that the message stays whole.
      far.write(
        state.refusesBegin ? Buffer.from(text.replace(begin, begin.toLowerCase().replace("f", "x")), "latin1") : chunk
      )
    })
    far.on("data", (chunk) => {
      isAnswered = true
      near.write(chunk)
    })
    for (const socket of [near, far]) socket.on("error", () => undefined)
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  const port = yield* listenLocally(server, open)
  return { state, url: Object.assign(new URL(target), { port: String(port) }) }
})

/** A process whose connections pass a relay, the SQL client to look at its database with, and claims of due posts. */
const makeProcess = Effect.fnUntraced(function* (posts: number) {
  const url = yield* freshDatabase
  const { state, url: relayed } = yield* relay(new URL(Redacted.value(url)))
  const near = yield* Layer.build(repoOf(url))
  const { events, targets } = Context.get(yield* Layer.build(repoOf(Redacted.make(relayed.href))), Repo)
  const sql = Context.get(near, SqlClient.SqlClient)
  yield* Effect.provideContext(makeDuePosts(posts, 1), near)
  const claims = yield* targets.claim(100, lease)
  const batch = claims.map((claim) => ({ claim, settlement: published }))
  if (!Arr.isReadonlyArrayNonEmpty(batch)) return yield* Effect.die("Nothing was due")
  const statuses = Effect.map(
    sql<{ status: string }>`SELECT status FROM post_targets UNION ALL SELECT status FROM posts`,
    (rows) => [...new Set(rows.map(({ status }) => status))]
  )
  return { batch, events, near, sql, state, statuses, targets }
})

const recordNothing = () => Effect.void

describe("targets.settleAll", () => {
  it.live("A batch takes three round trips, with what is recorded of it", () =>
    Effect.gen(function* () {
      const { batch, events, sql, state, statuses, targets } = yield* makeProcess(3)
      const [first, ...others] = batch
      // The first transaction of a connection prepares its statements.
      yield* targets.settleAll([first], recordNothing)
      if (!Arr.isReadonlyArrayNonEmpty(others)) return yield* Effect.die("One post was due")
      state.roundTrips = 0
      const { lost } = yield* targets.settleAll(others, ({ posts }) =>
        events.record({ events: eventsOfSettlements(posts, others), notifications: [] })
      )
      assert.deepStrictEqual([lost, state.roundTrips], [[], 3])
      assert.deepStrictEqual(yield* statuses, ["published"])
      assert.sameMembers(
        (yield* sql<{ type: string }>`SELECT type FROM events`).map(({ type }) => type),
        ["post.published", "post.published", "post.target.published", "post.target.published"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("Of two batches at the same moment one that fails undoes nothing of the other", () =>
    Effect.gen(function* () {
      const { batch, statuses, targets } = yield* makeProcess(2)
      const [first, second] = batch
      if (second === undefined) return yield* Effect.die("One post was due")
      const refused = new DatabaseUnavailable({ operation: "recording", cause: new Error("No") })
      const isAsked = Latch.makeUnsafe(false)
      const failing = yield* Effect.forkChild(
        targets.settleAll([first], () =>
          Effect.andThen(isAsked.open, Effect.andThen(Effect.yieldNow, Effect.fail(refused)))
        )
      )
      yield* isAsked.await
      assert.isEmpty((yield* targets.settleAll([second], recordNothing)).lost)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(failing)))
      assert.sameMembers(yield* statuses, ["publishing", "published"])
      assert.isEmpty((yield* targets.settleAll([first], recordNothing)).lost)
      assert.deepStrictEqual(yield* statuses, ["published"])
    }).pipe(Effect.scoped)
  )

  it.live("A batch whose transaction could not begin changes nothing, and is stored when it is tried again", () =>
    Effect.gen(function* () {
      const { batch, state, statuses, targets } = yield* makeProcess(2)
      state.refusesBegin = true
      assert.isTrue(Exit.isFailure(yield* Effect.exit(targets.settleAll(batch, recordNothing))))
      assert.deepStrictEqual(yield* statuses, ["publishing"])
      state.refusesBegin = false
      assert.isEmpty((yield* targets.settleAll(batch, recordNothing)).lost)
      assert.deepStrictEqual(yield* statuses, ["published"])
    }).pipe(Effect.scoped)
  )

  it.live("A batch of which something can't be recorded changes nothing, and is stored when it is tried again", () =>
    Effect.gen(function* () {
      const { batch, statuses, targets } = yield* makeProcess(2)
      const refused = new DatabaseUnavailable({ operation: "recording", cause: new Error("No") })
      assert.strictEqual(yield* Effect.flip(targets.settleAll(batch, () => Effect.fail(refused))), refused)
      assert.deepStrictEqual(yield* statuses, ["publishing"])
      assert.isEmpty((yield* targets.settleAll(batch, recordNothing)).lost)
      assert.deepStrictEqual(yield* statuses, ["published"])
    }).pipe(Effect.scoped)
  )

  it.live(
    "A batch whose first statement the server ends fails with DatabaseUnavailable, and is stored when it is tried again",
    () =>
      Effect.gen(function* () {
        const { batch, near, sql, statuses, targets } = yield* makeProcess(2)
        const isLocked = Latch.makeUnsafe(false)
        const isCanceled = Latch.makeUnsafe(false)
        const lockPosts = Effect.andThen(sql`SELECT FROM posts FOR UPDATE`, isLocked.open)
        yield* Effect.forkChild(sql.withTransaction(Effect.andThen(lockPosts, isCanceled.await)))
        yield* isLocked.await
        const fiber = yield* Effect.forkChild(Effect.flip(targets.settleAll(batch, recordNothing)))
        yield* Effect.provideContext(someLockIsAwaited, near)
        yield* sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        const settling = yield* Fiber.join(fiber)
        yield* isCanceled.open
        assert.strictEqual(settling._tag, "DatabaseUnavailable")
        assert.deepStrictEqual(yield* statuses, ["publishing"])
        assert.isEmpty((yield* targets.settleAll(batch, recordNothing)).lost)
        assert.deepStrictEqual(yield* statuses, ["published"])
      }).pipe(Effect.scoped)
  )

  it.live("A batch whose connection is lost fails with DatabaseUnavailable, and is stored over another one", () =>
    Effect.gen(function* () {
      const { batch, sql, statuses, targets } = yield* makeProcess(2)
      const loseConnection = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'`
      const lost = yield* Effect.flip(targets.settleAll(batch, () => Effect.orDie(Effect.asVoid(loseConnection))))
      assert.strictEqual(lost._tag, "DatabaseUnavailable")
      assert.deepStrictEqual(yield* statuses, ["publishing"])
      assert.isEmpty((yield* targets.settleAll(batch, recordNothing)).lost)
      assert.deepStrictEqual(yield* statuses, ["published"])
    }).pipe(Effect.scoped)
  )
})
