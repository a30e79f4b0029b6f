import { Clock, Deferred, Effect, Layer, Semaphore, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { fileURLToPath } from "node:url"
import type { DashboardBundle } from "../http/pages/dashboard.ts"
import { dashboardBundle } from "../wiring/dashboard.ts"
import { stateOfFiles } from "./stateOfFiles.ts"

const sources = fileURLToPath(new URL("../dashboard", import.meta.url))

const versionPath = "/dev/version"

const interval = "300 millis"

const reloadOnChange = (version: string): string =>
  `new EventSource("${versionPath}").onmessage = ({ data }) => { if (data !== "${version}") location.reload() }\n`

/** The entry script has another name in each version, because browsers cache by name. */
const withReload = (bundle: DashboardBundle, version: string): DashboardBundle => {
  const script = `live-${version}.js`
  const text = `import "./${bundle.script}"\n${reloadOnChange(version)}`
  return { ...bundle, script, assets: { ...bundle.assets, [script]: text } }
}

const failurePage = (message: string, version: string): DashboardBundle => {
  const names = { script: `failed-${version}.js`, styles: `failed-${version}.css`, icon: `failed-${version}.svg` }
  const script = `const shown = document.createElement("pre")
shown.textContent = ${JSON.stringify(`The dashboard can't be bundled:\n\n${message}`)}
document.body.replaceChildren(shown)
${reloadOnChange(version)}`
  const styles =
    ":root { color-scheme: light dark } pre { margin: 24px; font: 14px/1.5 monospace; white-space: pre-wrap }"
  return { ...names, assets: { [names.script]: script, [names.styles]: styles, [names.icon]: "" } }
}

/**
 * Bundles again for the first page after an edit, and open pages reload. `stopLayer` ends the streams of open pages.
 * Build it after the server, whose stop waits for these streams.
 */
export const makeLiveDashboard = Effect.gen(function* () {
  // Pages also reload after a restart, which may have changed the service's responses.
  const start = yield* Clock.currentTimeMillis
  const version = Effect.sync(() => `${start}-${stateOfFiles(sources, "**/*.*")}`)
  const stopped = yield* Deferred.make<void>()
  const turn = yield* Semaphore.make(1)
  let kept: { readonly version: string; readonly bundle: DashboardBundle } | undefined

  const bundle = Effect.gen(function* () {
    const current = yield* version
    if (kept?.version === current) return kept.bundle
    const made = yield* dashboardBundle.pipe(
      Effect.map((fresh) => withReload(fresh, current)),
      Effect.catch((error) =>
        Effect.as(Effect.logError("The dashboard can't be bundled", error), failurePage(error.message, current))
      )
    )
    // A page of an earlier version may still request its files.
    kept = { version: current, bundle: { ...made, assets: { ...kept?.bundle.assets, ...made.assets } } }
    return kept.bundle
  }).pipe(turn.withPermits(1))

  const versions = Stream.tick(interval).pipe(
    Stream.mapEffect(() => version),
    Stream.map((current) => `data: ${current}\n\n`),
    Stream.encodeText,
    Stream.interruptWhen(Deferred.await(stopped))
  )
  const options = { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }

  return {
    bundle,
    routes: HttpRouter.add("GET", versionPath, HttpServerResponse.stream(versions, options)),
    stopLayer: Layer.effectDiscard(Effect.addFinalizer(() => Deferred.succeed(stopped, undefined)))
  }
})
