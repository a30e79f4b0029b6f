import { Effect, Metric } from "effect"
import type { Refusal } from "./connectionRegistry.ts"

const openConnections = Metric.gauge("http_connections", { description: "Connections that are open" })

const turnedAway = Metric.counter("http_connections_turned_away_total", {
  description: "Connections that were refused or displaced for others, by the reason",
  incremental: true
})

/** Figures about connections, from where there is no fiber. */
export interface ConnectionMetrics {
  readonly open: (count: number) => void
  readonly turnedAway: (reason: Refusal | "displaced") => void
}

const counter = (reason: Refusal | "displaced") => Metric.withAttributes(turnedAway, { reason })

export const makeConnectionMetrics: Effect.Effect<ConnectionMetrics> = Effect.map(Effect.context(), (context) => {
  const counters = {
    process_full: counter("process_full"),
    address_full: counter("address_full"),
    displaced: counter("displaced")
  }
  // An increase from nothing would be overlooked.
  for (const each of Object.values(counters)) each.updateUnsafe(0, context)
  openConnections.updateUnsafe(0, context)
  return {
    open: (count) => openConnections.updateUnsafe(count, context),
    turnedAway: (reason) => counters[reason].updateUnsafe(1, context)
  }
})
