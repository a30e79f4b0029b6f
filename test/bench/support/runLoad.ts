import { Schema } from "effect"
import type { Script } from "./childProcess.ts"
import type { Load } from "./load.ts"

/** Requests a second, and percentiles of their response times in milliseconds. */
export const LoadReport = Schema.Struct({
  requests: Schema.Int,
  perSecond: Schema.Finite,
  p50: Schema.Finite,
  p99: Schema.Finite
})

/** Sends a load to a server from the script `support/load.ts`. */
export const runLoad = (script: Script, load: Load) => script.ask(load, LoadReport)
