import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { makeProcess } from "./relayedProcess.ts"

describe("targets.settleAll on a server that is frozen", () => {
  it.live("A batch whose transaction has begun loses its connection as soon as one that gets no response at all", () =>
    Effect.gen(function* () {
      const { batch, sql, state, targets } = yield* makeProcess(1)
      const isLocked = Latch.makeUnsafe(false)
      // What is behind BEGIN waits, so that the response to that comes alone.
      const lock = Effect.andThen(sql`SELECT FROM posts FOR UPDATE`, isLocked.open)
      yield* Effect.forkScoped(sql.withTransaction(Effect.andThen(lock, Effect.never)))
      yield* isLocked.await
      state.freezesAfterBegin = true
      const error = yield* Effect.flip(targets.settleAll(batch, () => Effect.void))
      // The wait for the whole operation would end after eight.
      assert.match(String(error.cause), /Socket error/)
    }).pipe(Effect.scoped)
  )
})
