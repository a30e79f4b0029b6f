import { registerHooks } from "node:module"

/** With CHAOS_REAL_LEASES the publisher's own times stay as they are, and only retries and calls are shorter. */
const modulesOfLeases =
  process.env["CHAOS_REAL_LEASES"] === "1" ? [] : ["/src/domain/pollInterval.ts", "/src/publishing/timing.ts"]

/**
 * Module hooks, loaded with `--import` before src/main.ts: they divide the waits that the service defines by CHAOS_PACE, so
 * that leases expire and retries come due within a campaign. The listed modules get a `Duration` with shorter units in
 * place of Effect's. Clocks and the timeouts of the database stay as they are.
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
