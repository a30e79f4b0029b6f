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
        // The statements behind BEGIN wait, so that its response comes alone.
        const lock = Effect.andThen(sql`SELECT FROM posts FOR UPDATE`, isLocked.open)
        yield* Effect.forkScoped(sql.withTransaction(Effect.andThen(lock, Effect.never)))
        yield* isLocked.await
        state.freezesAfterBegin = true
        const error = yield* Effect.flip(targets.settleAll(batch, () => Effect.void))
        // The wait for the whole operation would end after eight.
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
      // Longer than a response is waited for, and no statement longer than it may take.
      yield* Effect.andThen(sql`SELECT pg_sleep(3.5)`, sql`SELECT pg_sleep(3.5)`)
      assert.deepStrictEqual(yield* settling, before)
    }).pipe(Effect.scoped)
  )
})
