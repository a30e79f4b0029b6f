import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { makeProcess } from "./relayedProcess.ts"

describe("The connection of targets.settleAll", () => {
  it.live(
    "On a server that freezes once a transaction has begun, it is lost as soon as one that gets no response at all",
    () =>
      Effect.gen(function* () {
        const { batch, sql, state, targets } = yield* makeProcess(1)
        const isLocked = Latch.makeUnsafe(false)
        // The lock makes the statements after BEGIN wait, so that BEGIN's response arrives alone.
        const lock = Effect.andThen(sql`SELECT FROM posts FOR UPDATE`, isLocked.open)
        yield* Effect.forkScoped(sql.withTransaction(Effect.andThen(lock, Effect.never)))
        yield* isLocked.await
        state.freezesAfterBegin = true
        const error = yield* Effect.flip(targets.settleAll(batch, () => Effect.void))
        // This is the socket's timeout; the operation's would come after eight seconds.
        assert.match(String(error.cause), /Socket error/)
      }).pipe(Effect.scoped)
  )

  it.live("A connection that has every response is kept, however long it waits for the next batch", () =>
    Effect.gen(function* () {
      const { batch, sql, targets } = yield* makeProcess(1)
      const settling = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT'`
      yield* targets.settleAll(batch, () => Effect.void)
      const before = yield* settling
      assert.strictEqual(before.length, 1)
      // Together longer than the wait for a response, but each within the statement timeout.
      yield* Effect.andThen(sql`SELECT pg_sleep(3.5)`, sql`SELECT pg_sleep(3.5)`)
      assert.deepStrictEqual(yield* settling, before)
    }).pipe(Effect.scoped)
  )
})
