import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import {
  type AllowedConnections,
  describeShortage,
  warnOfFewConnections
} from "../../../src/repo/postgres/connectionLimits.ts"
import { databaseLayer } from "../../../src/repo/postgres/database.ts"
import { freshDatabase } from "../../support/database/testDatabase.ts"
import { capturedTelemetryLayer, Log } from "../../support/telemetry/capturedTelemetry.ts"

const limits: AllowedConnections = { server: 97, role: null, database: null, others: 0 }

describe("The limits of connections", () => {
  it("No shortage is told where all processes can have their connections", () => {
    assert.isUndefined(describeShortage({ ...limits, others: 5 }, 16))
    assert.isUndefined(describeShortage({ ...limits, server: 16 }, 16))
  })

  it("A shortage names the connections of a process, what is allowed, for how many processes, and what to set", () => {
    const told = describeShortage({ ...limits, server: 31, others: 2 }, 16)
    assert.include(told, "up to 16 connections")
    assert.include(told, "allows 31 (max_connections of PostgreSQL")
    assert.include(told, "enough for 1 processes, and 3 run with this one")
    assert.include(told, "Raise the limit to 64")
  })

  it("The lowest of the limits of the server, the role and the database counts", () => {
    assert.include(
      describeShortage({ ...limits, role: 15, database: 20 }, 16),
      "allows 15 (the CONNECTION LIMIT of the role)"
    )
    assert.include(
      describeShortage({ ...limits, role: 15, database: 7 }, 16),
      "allows 7 (the CONNECTION LIMIT of the database)"
    )
  })

  it.live("A process warns of a database that allows fewer connections than it may open", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* warnOfFewConnections(false)
        assert.isEmpty(yield* Log)
        yield* sql.unsafe(`ALTER DATABASE ${new URL(Redacted.value(url)).pathname.slice(1)} CONNECTION LIMIT 12`)
        // With a pooler, only three connections go to PostgreSQL itself.
        yield* warnOfFewConnections(true)
        assert.isEmpty(yield* Log)
        yield* warnOfFewConnections(false)
        const [warning] = yield* Log
        assert.strictEqual(warning?.level, "Warn")
        assert.include(String(warning?.message), "allows 12 (the CONNECTION LIMIT of the database)")
      }).pipe(Effect.provide(databaseLayer(url)))
    }).pipe(Effect.provide(capturedTelemetryLayer), Effect.scoped)
  )
})
