import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Context, DateTime, Effect, Exit, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { eventsOfSettlements } from "../../../src/notifier/settledEvents.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { lease } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { someLockIsAwaited } from "../../support/database/programs.ts"
import { repoOf } from "../../support/database/testDatabase.ts"
import { makeProcess } from "./relayedProcess.ts"
import { published } from "./settlements.ts"

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
      state.refuses = "BEGIN DEFERRABLE"
      assert.isTrue(Exit.isFailure(yield* Effect.exit(targets.settleAll(batch, recordNothing))))
      assert.deepStrictEqual(yield* statuses, ["publishing"])
      state.refuses = ""
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
      // The server might report the transaction as idle only after a moment.
      const loseConnection = Effect.repeat(
        sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'idle in transaction'`,
        { until: (terminated) => terminated.length > 0 }
      )
      const lost = yield* Effect.flip(targets.settleAll(batch, () => Effect.orDie(Effect.asVoid(loseConnection))))
      assert.strictEqual(lost._tag, "DatabaseUnavailable")
      assert.deepStrictEqual(yield* statuses, ["publishing"])
      assert.isEmpty((yield* targets.settleAll(batch, recordNothing)).lost)
      assert.deepStrictEqual(yield* statuses, ["published"])
    }).pipe(Effect.scoped)
  )

  it.live("A connection whose transaction could not be rolled back is not used again", () =>
    Effect.gen(function* () {
      const { batch, state, statuses, targets } = yield* makeProcess(2)
      const refused = new DatabaseUnavailable({ operation: "recording", cause: new Error("No") })
      state.refuses = "ROLLBACK"
      assert.isTrue(Exit.isFailure(yield* Effect.exit(targets.settleAll(batch, () => Effect.fail(refused)))))
      state.refuses = ""
      assert.isEmpty((yield* targets.settleAll(batch, recordNothing)).lost)
      assert.deepStrictEqual(yield* statuses, ["published"])
    }).pipe(Effect.scoped)
  )

  it.live("A batch whose record ignores that its statement failed changes nothing", () =>
    Effect.gen(function* () {
      const { batch, far, statuses, targets } = yield* makeProcess(2)
      const failing = Effect.exit(Context.get(far, SqlClient.SqlClient)`SELECT 1 / 0`)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(targets.settleAll(batch, () => Effect.asVoid(failing)))))
      assert.deepStrictEqual(yield* statuses, ["publishing"])
    }).pipe(Effect.scoped)
  )

  it.live("Two processes that settle both targets of a post at once end it once, with the other's outcome", () =>
    Effect.gen(function* () {
      const { near, sql, url } = yield* makeProcess(1)
      const another = Context.get(yield* Layer.build(Layer.fresh(repoOf(url))), Repo)
      const { posts, targets } = Context.get(near, Repo)
      const now = yield* DateTime.now
      const workspace = yield* Effect.provideContext(makeWorkspace(), near)
      yield* posts.create(workspace, plan(now, ["twitter", "bluesky"]))
      const [first, second] = yield* targets.claim(2, lease)
      if (first === undefined || second === undefined) return yield* Effect.die("Too few were due")
      const isHeld = Latch.makeUnsafe(false)
      const isOver = Latch.makeUnsafe(false)
      const record = () => Effect.andThen(isHeld.open, isOver.await)
      const earlier = yield* Effect.forkChild(targets.settleAll([{ claim: first, settlement: published }], record))
      yield* isHeld.await
      const later = yield* Effect.forkChild(
        another.targets.settleAll([{ claim: second, settlement: published }], recordNothing)
      )
      yield* Effect.provideContext(someLockIsAwaited, near)
      yield* isOver.open
      const ends = [yield* Fiber.join(earlier), yield* Fiber.join(later)].map(({ posts: [post] }) => post?.status)
      assert.deepStrictEqual(ends, ["publishing", "published"])
      assert.deepStrictEqual(yield* sql`SELECT status FROM posts WHERE id = ${first.postId}::uuid`, [
        { status: "published" }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("A batch is settled neither within another transaction nor with a target that recognized its post", () =>
    Effect.gen(function* () {
      const { batch, near, statuses } = yield* makeProcess(1)
      const { targets, transaction } = Context.get(near, Repo)
      const nested = yield* Effect.exit(transaction(targets.settleAll(batch, recordNothing)))
      assert.match(String(Exit.isFailure(nested) && nested.cause), /not part of another one/)
      const [{ claim }] = batch
      const publication = { platformPostId: "1", url: null, recognized: true }
      const recognized = { claim, settlement: { _tag: "Published", publication } } as const
      const refused = yield* Effect.exit(targets.settleAll([recognized], recordNothing))
      assert.match(String(Exit.isFailure(refused) && refused.cause), /is settled alone/)
      assert.deepStrictEqual(yield* statuses, ["publishing"])
    }).pipe(Effect.scoped)
  )
})
