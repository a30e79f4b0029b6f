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
  "/src/webhooks/Deliverer.ts"
]

/** Threads keeps a container for a day, and only its end settles some outcomes. Its stand-in has the same day. */
const modulesOfDays = ["adapter", "create", "files", "look", "problem", "send", "standIn/containers"].map(
  (name) => `/src/platforms/threads/${name}.ts`
)

/** The modules, by the shorter Effect that they get. */
const shorter: Readonly<Record<string, ReadonlyArray<string>>> = {
  "shorterEffect.ts": modulesOfWaits,
  "shorterEffect.ts?calls": ["/src/platforms/call.ts"],
  "shorterEffect.ts?days": modulesOfDays
}

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const [effect] = Object.entries(shorter).find(([, modules]) =>
      modules.some((module) => context.parentURL?.endsWith(module) === true)
    ) ?? [undefined]
    return specifier === "effect" && effect !== undefined
      ? { url: new URL(effect, import.meta.url).href, format: "module-typescript", shortCircuit: true }
      : nextResolve(specifier, context)
  }
})
