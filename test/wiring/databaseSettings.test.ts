import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { DatabaseSettings, type Weakenable } from "../../src/repo/postgres/settings.ts"
import { databaseSettingsReportLayer } from "../../src/wiring/databaseSettings.ts"
import { capturedTelemetryLayer, Log, readMetrics } from "../support/telemetry/capturedTelemetry.ts"

const weakenedNow = Effect.gen(function* () {
  const metrics = readMetrics(yield* PrometheusMetrics.format())
  return ["fsync", "full_page_writes", "synchronous_commit"].filter(
    (setting) => metrics.get(`database_weakened_setting{setting="${setting}"}`) === 1
  )
})

describe("databaseSettingsReportLayer", () => {
  it.effect("Each weakened setting is in the metrics for as long as it is, and is warned of once", () =>
    Effect.gen(function* () {
      let found: ReadonlyArray<Weakenable> = ["fsync"]
      let isAway = false
      const settings = DatabaseSettings.of({
        weakened: Effect.suspend(() =>
          isAway ? new DatabaseUnavailable({ operation: "reading", cause: "away" }) : Effect.succeed(found)
        )
      })
      const log = yield* Log
      const warnings = () => log.filter(({ level }) => level === "Warn").map(({ message }) => message.split(" ")[0])
      yield* Layer.build(databaseSettingsReportLayer).pipe(Effect.provideService(DatabaseSettings, settings))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* weakenedNow, warnings()], [["fsync"], ["fsync"]])
      found = ["fsync", "full_page_writes"]
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([yield* weakenedNow, warnings()], [found, ["fsync", "full_page_writes"]])
      isAway = true
      yield* TestClock.adjust("1 minute")
      isAway = false
      found = []
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([yield* weakenedNow, warnings().length], [[], 2])
    }).pipe(Effect.scoped, Effect.provide(capturedTelemetryLayer))
  )
})
