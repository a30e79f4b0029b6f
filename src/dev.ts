import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer } from "effect"
import { makeLiveDashboard } from "./dev/liveDashboard.ts"
import { runService } from "./run.ts"
import { serviceLayer } from "./wiring/service.ts"

// The service in development: `npm run dev`.

/** With `--empty`, the service starts without examples. */
const isEmpty = process.argv.includes("--empty")

runService((config) =>
  Layer.unwrap(
    Effect.map(makeLiveDashboard, ({ stopLayer, ...dashboard }) =>
      Layer.provide(
        stopLayer,
        serviceLayer(isEmpty ? { ...config, demoExamples: "off" } : config, { ...dashboard, isLive: true })
      )
    )
  )
)
