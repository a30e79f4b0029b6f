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

/** Threads keeps a container for a day, and only its end settles some outcomes. Its stand-in has the same day. */
const modulesOfDays = ["adapter", "create", "files", "look", "problem", "send", "standIn/containers"].map(
  (name) => `/src/platforms/threads/${name}.ts`
)

const isAmong = (modules: ReadonlyArray<string>, url: string | undefined) =>
  modules.some((module) => url?.endsWith(module) === true)

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const isDays = isAmong(modulesOfDays, context.parentURL)
    if (specifier !== "effect" || !(isDays || isAmong(modulesOfWaits, context.parentURL))) {
      return nextResolve(specifier, context)
    }
    const { href } = new URL(isDays ? "shorterEffect.ts?days" : "shorterEffect.ts", import.meta.url)
    return { url: href, format: "module-typescript", shortCircuit: true }
  }
})
