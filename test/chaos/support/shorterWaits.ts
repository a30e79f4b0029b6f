import { existsSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

const root = new URL("../../../", import.meta.url)

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

/**
 * Threads and Instagram keep a container for a day, and only its end settles some outcomes. Their stand-ins have the
 * same day.
 */
const modulesOfDays = [
  "meta/create",
  "meta/files",
  "meta/look",
  "meta/send",
  "meta/standIn/containers",
  "openOutcome"
].map((name) => `/src/platforms/${name}.ts`)

/** Facebook repeats a publication for an hour, and is asked for longer. */
const modulesOfFacebook = ["look", "media", "send", "standIn/objects"].map(
  (name) => `/src/platforms/facebook/${name}.ts`
)

/** YouTube is asked for as long. */
const modulesOfYoutube = ["look", "media", "send"].map((name) => `/src/platforms/youtube/${name}.ts`)

/** TikTok takes a video's bytes for an hour, which stays an hour in its stand-in. */
const modulesOfTiktok = ["look", "send", "transfer"].map((name) => `/src/platforms/tiktok/${name}.ts`)

/** The modules, by the shorter Effect that they get. */
const shorter: Readonly<Record<string, ReadonlyArray<string>>> = {
  "shorterEffect.ts": [...modulesOfWaits, ...modulesOfFacebook, ...modulesOfYoutube, ...modulesOfTiktok],
  "shorterEffect.ts?calls": ["/src/platforms/call.ts"],
  "shorterEffect.ts?days": modulesOfDays
}

// A version before has other modules.
const isHere = process.argv[1]?.startsWith(fileURLToPath(root)) !== false
const missing = Object.values(shorter)
  .flat()
  .filter((module) => isHere && !existsSync(new URL(`.${module}`, root)))
if (missing.length > 0) throw new Error(`These modules of waits do not exist: ${missing.join(", ")}`)

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
