import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { keepUpAccounts } from "../../src/accounts/upkeepFiber.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { linkingWorld } from "./linkingWorld.ts"

/** An account whose access ends in some days. */
const makeTeam = Effect.fnUntraced(function* (platform: LivePlatform, days: number) {
  const { integrations } = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const workspace = yield* makeWorkspace([])
  const connect = Effect.fnUntraced(function* (left: number) {
    const connected = yield* (yield* Sandbox).connect(platform, "team")
    const accessUntil = DateTime.add(yield* DateTime.now, { days: left })
    return yield* integrations.connect(workspace, { platform, ...connected, accessUntil })
  })
  const { id } = yield* connect(days)
  /** The thresholds of the notifications so far. */
  const told = Effect.map(
    sql<{ readonly days: number }>`
      SELECT (metadata ->> 'days')::int AS days FROM notifications
      WHERE type = 'integration.expiring' AND metadata ->> 'integration_id' = ${id} ORDER BY created_at, id`,
    (rows) => rows.map((row) => row.days)
  )
  return { connect, told, workspace }
})

layer(linkingWorld)("Access that no platform renews", (it) => {
  it.effect("Its end is told 7 days and 1 day before, once each, whoever looks and however often", () =>
    Effect.gen(function* () {
      const { connect, told } = yield* makeTeam("linkedin", 8)
      yield* keepUpAccounts
      assert.deepStrictEqual(yield* told, [])
      yield* TestClock.adjust("1 day")
      yield* Effect.all([keepUpAccounts, keepUpAccounts, keepUpAccounts], { concurrency: "unbounded" })
      yield* keepUpAccounts
      assert.deepStrictEqual(yield* told, [7])
      yield* TestClock.adjust("5 days")
      yield* keepUpAccounts
      assert.deepStrictEqual(yield* told, [7])
      yield* TestClock.adjust("1 day")
      yield* Effect.all([keepUpAccounts, keepUpAccounts], { concurrency: "unbounded" })
      yield* keepUpAccounts
      assert.deepStrictEqual(yield* told, [7, 1])
      yield* TestClock.adjust("1 second")
      yield* connect(60)
      yield* TestClock.adjust("53 days")
      yield* keepUpAccounts
      assert.deepStrictEqual(yield* told, [7, 1, 7])
    })
  )

  it.effect("If nobody looked for a week, only the last day is told", () =>
    Effect.gen(function* () {
      const { told } = yield* makeTeam("linkedin", 8)
      yield* TestClock.adjust("169 hours")
      yield* keepUpAccounts
      assert.deepStrictEqual(yield* told, [1])
      yield* TestClock.adjust("1 day")
      yield* keepUpAccounts
      assert.deepStrictEqual(yield* told, [1])
    })
  )

  it.effect("Nobody is told of access that is renewed, or that a person took back", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const x = yield* makeTeam("twitter", 3)
      const other = yield* makeTeam("linkedin", 3)
      const [account] = yield* integrations.list(other.workspace)
      if (account === undefined) return assert.fail("Nothing is connected")
      yield* integrations.disconnect(account.id)
      yield* keepUpAccounts
      assert.deepStrictEqual([yield* x.told, yield* other.told], [[], []])
    })
  )
})
