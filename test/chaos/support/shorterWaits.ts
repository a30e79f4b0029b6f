import { registerHooks } from "node:module"

/**
 * Loaded with `--import` before src/main.ts: the waits that the service's own modules name are divided by CHAOS_PACE, so
 * that a campaign sees leases run out and retries come due. Clocks, the database and its time-outs stay as they are,
 * and the service knows nothing of it: the named modules get a `Duration` whose units are shorter.
 */
const modulesOfWaits = ["/src/publishing/timing.ts", "/src/domain/retryPolicy.ts", "/src/platforms/call.ts"]

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "effect" && modulesOfWaits.some((module) => context.parentURL?.endsWith(module) === true)
      ? { url: new URL("shorterEffect.ts", import.meta.url).href, format: "module-typescript", shortCircuit: true }
      : nextResolve(specifier, context)
})
