import { registerHooks } from "node:module"

/** With CHAOS_REAL_LEASES only retries and calls are shorter. The publisher's own times stay as they are. */
const modulesOfLeases =
  process.env["CHAOS_REAL_LEASES"] === "1" ? [] : ["/src/domain/pollInterval.ts", "/src/publishing/timing.ts"]

/**
 * Module hooks, loaded with `--import` before src/main.ts. They divide the waits of the service by CHAOS_PACE, so that
 * leases expire and retries become due within a campaign. The listed modules get a `Duration` with shorter units
 * instead of Effect's. Clocks and the timeouts of the database do not change.
 */
const modulesOfWaits = [
  ...modulesOfLeases,
  "/src/domain/webhooks/deliveryPolicy.ts",
  "/src/domain/publishing/retryPolicy.ts",
  "/src/platforms/call.ts",
  "/src/webhooks/Deliverer.ts"
]

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "effect" && modulesOfWaits.some((module) => context.parentURL?.endsWith(module) === true)
      ? { url: new URL("shorterEffect.ts", import.meta.url).href, format: "module-typescript", shortCircuit: true }
      : nextResolve(specifier, context)
})
