import { assert, describe, inject, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Fiber } from "effect"
import { Reactivity } from "effect/reactivity"
import { once } from "node:events"
import { withDatabaseTimeout } from "../../../src/repo/postgres/databaseErrors.ts"
import { TimeoutSocket } from "../../../src/repo/postgres/timeoutSocket.ts"
import { freshDatabase } from "../../support/database/testDatabase.ts"

const timeout = Duration.millis(200)

/** The process does not run, as on a suspended machine, and the server's answer arrives meanwhile. */
const suspend = Effect.sync(() => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * Duration.toMillis(timeout))
})

/** A request of PostgreSQL's protocol for an encryption that the server lacks. It answers with "N". */
const requestOf = (code: number) => {
  const request = Buffer.alloc(8)
  request.writeInt32BE(8)
  request.writeInt32BE(code, 4)
  return request
}
const sslRequest = requestOf(80_877_103)
const gssRequest = requestOf(80_877_104)

describe("A process that did not run for longer than a timeout", () => {
  it.live("reads the answer that has arrived over a connection", () =>
    Effect.gen(function* () {
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => new TimeoutSocket(new URL(inject("templateUrl")), timeout)),
        (opened) => Effect.sync(() => opened.destroy())
      )
      const ask = (request: Buffer) =>
        Effect.sync(() => {
          const answer = once(socket, "data")
          socket.write(request)
          return Effect.promise(() => answer)
        })
      yield* yield* ask(sslRequest)
      const answer = yield* ask(gssRequest)
      yield* suspend
      assert.strictEqual(String(yield* answer), "N")
    })
  )

  it.live("takes the result of an operation", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.make({ url: yield* freshDatabase, maxConnections: 1 }).pipe(
        Effect.provide(Reactivity.layer)
      )
      const read = sql`SELECT 1 AS one`.pipe(withDatabaseTimeout("reading", timeout))
      yield* sql`SELECT 1`
      const reading = yield* Effect.forkChild(read, { startImmediately: true })
      yield* suspend
      assert.deepStrictEqual(yield* Fiber.join(reading), [{ one: 1 }])
    })
  )
})
