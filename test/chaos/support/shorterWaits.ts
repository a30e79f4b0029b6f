import { registerHooks } from "node:module"

/**
 * Module hooks, loaded with `--import` before src/main.ts: they divide the waits that the service defines by CHAOS_PACE, so
 * that leases expire and retries come due within a campaign. The listed modules get a `Duration` with shorter units in
 * place of Effect's. Clocks and the timeouts of the database stay as they are.
 */
const modulesOfWaits = [
  "/src/domain/pollInterval.ts",
  "/src/domain/retryPolicy.ts",
  "/src/platforms/call.ts",
  "/src/publishing/timing.ts"
]

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "effect" && modulesOfWaits.some((module) => context.parentURL?.endsWith(module) === true)
      ? { url: new URL("shorterEffect.ts", import.meta.url).href, format: "module-typescript", shortCircuit: true }
      : nextResolve(specifier, context)
})
