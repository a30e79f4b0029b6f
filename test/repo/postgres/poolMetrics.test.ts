import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { SqlClient } from "effect/sql"
import { PipelinedTransaction } from "../../../src/repo/postgres/pipelinedTransaction.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { readMetrics, capturedTelemetryLayer } from "../../support/telemetry/capturedTelemetry.ts"

const metrics = Effect.map(PrometheusMetrics.format(), readMetrics)

layer(Layer.provideMerge(repoLayer, capturedTelemetryLayer), { excludeTestServices: true })(
  "The metrics of the connection pool",
  (it) => {
    it.effect("Pool metrics show the number of connections, its limit and the time that connections were busy", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = yield* metrics
        assert.strictEqual(before.get("database_connections_max"), 19)
        const naps = Array.from({ length: 3 }, () => sql`SELECT pg_sleep(0.2)`)
        yield* Effect.all(naps, { concurrency: "unbounded" })
        const after = yield* metrics
        assert.strictEqual(after.get("database_connections"), 3)
        const busy = (after.get("database_busy_seconds_total") ?? 0) - (before.get("database_busy_seconds_total") ?? 0)
        assert.isAtLeast(busy, 0.6)
      })
    )

    it.effect("A connection is busy until the last of the statements that it sends together has its response", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const inPipelinedTransaction = yield* PipelinedTransaction
        const before = yield* metrics
        yield* inPipelinedTransaction(
          Effect.all([sql`SELECT pg_sleep(0.2)`, sql`SELECT pg_sleep(0.2)`], { concurrency: "unbounded" })
        )
        const after = yield* metrics
        const busy = (after.get("database_busy_seconds_total") ?? 0) - (before.get("database_busy_seconds_total") ?? 0)
        assert.isAtLeast(busy, 0.4)
      })
    )
  }
)
