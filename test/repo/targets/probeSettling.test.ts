import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { processLease } from "../../../src/repo/processes.ts"
import { makeProcess } from "./relayedProcess.ts"

const makeProbed = Effect.gen(function* () {
  const { far, sql, targets } = yield* makeProcess(1)
  yield* Context.get(far, Repo).processes.renew(null, processLease)
  return { sql, probe: targets.probeSettling }
})

describe("targets.probeSettling", () => {
  it.live("It commits a write over the connection for settlements, and changes no lease", () =>
    Effect.gen(function* () {
      const { probe, sql } = yield* makeProbed
      const leases = sql`SELECT id, started_at, lease_until FROM processes`
      const before = yield* leases
      yield* probe
      assert.deepStrictEqual(yield* leases, before)
      assert.deepStrictEqual(
        yield* sql`SELECT pg_xact_status(xmax::text::xid8) AS status FROM processes WHERE xmax <> 0`,
        [{ status: "committed" }]
      )
      assert.lengthOf(
        yield* sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT'`,
        1
      )
    }).pipe(Effect.scoped)
  )

  it.live("A database that only reads refuses it", () =>
    Effect.gen(function* () {
      const { probe, sql } = yield* makeProbed
      const [database] = yield* sql<{ name: string }>`SELECT current_database() AS name`
      // The setting applies to new sessions, such as the session for settlements.
      yield* sql.unsafe(`ALTER DATABASE "${database?.name}" SET default_transaction_read_only = on`)
      const error = yield* Effect.flip(probe)
      assert.nestedPropertyVal(error, "cause.reason.cause.code", "25006")
    }).pipe(Effect.scoped)
  )

  it.live("It waits neither for a lease that is renewed nor for one that is ended", () =>
    Effect.gen(function* () {
      const { probe, sql } = yield* makeProbed
      const whileLocked = Effect.fnUntraced(function* (lock: string) {
        yield* sql.withTransaction(Effect.andThen(sql.unsafe(`SELECT FROM processes FOR ${lock}`), probe))
      })
      yield* Effect.forEach(["NO KEY UPDATE", "UPDATE"], whileLocked)
    }).pipe(Effect.scoped)
  )
})
