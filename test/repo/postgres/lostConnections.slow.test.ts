import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "../../../src/repo/postgres/database.ts"
import { tcpProxy } from "../../chaos/support/tcpProxy.ts"
import { freshDatabase } from "../../support/database/testDatabase.ts"

/** Opens `count` connections. Each is held until all are open, so that none is still being opened afterwards. */
const openConnections = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const opened = Latch.makeUnsafe(false)
  let missing = count
  const open = Effect.andThen(
    sql`SELECT 1`,
    Effect.suspend(() => (--missing === 0 ? opened.open : opened.await))
  )
  yield* Effect.all(
    Array.from({ length: count }, () => sql.withTransaction(open)),
    { concurrency: "unbounded" }
  )
})

const loseFiveConnections = Effect.gen(function* () {
  const url = new URL(Redacted.value(yield* freshDatabase))
  const proxy = yield* tcpProxy({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* openConnections(5)
    yield* proxy.disconnect("vanished")
    yield* proxy.reconnect
    const error = yield* Effect.flip(sql`SELECT 1`)
    assert.match(String(error.reason.cause), /did not respond within 6 seconds/)
    const answers = yield* Effect.all(
      Array.from({ length: 5 }, () => sql`SELECT 1 AS answer`),
      { concurrency: "unbounded" }
    )
    for (const answer of answers) assert.deepStrictEqual(answer, [{ answer: 1 }])
  }).pipe(Effect.provide(databaseLayer(Redacted.make(url.href))))
}).pipe(Effect.scoped)

describe("connections that the network lost", () => {
  // Several pools run at once, so that in some pools the last response and the lost request share a millisecond.
  it.live("The first connection that times out closes the unused ones, so that a single statement fails for all", () =>
    Effect.all(
      Array.from({ length: 8 }, () => loseFiveConnections),
      { concurrency: "unbounded", discard: true }
    )
  )
})
