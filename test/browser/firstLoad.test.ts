import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { gzipSync } from "node:zlib"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

describe.skipIf(!canRunBrowser)("The dashboard's first load, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("All that the calendar loads is at most 80 kB, gzipped", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/notifications")
        // Late responses to this page would count.
        yield* Effect.promise(() => page.waitForLoadState("networkidle"))
        const bodies: Array<Promise<Buffer>> = []
        page.on("response", (response) => bodies.push(response.body().catch(() => Buffer.alloc(0))))
        yield* Effect.promise(() => page.goto(url, { waitUntil: "networkidle" }))
        const loaded = yield* Effect.promise(() => Promise.all(bodies))
        const bytes = loaded.reduce((total, body) => total + gzipSync(body).length, 0)
        assert.isAbove(loaded.length, 3)
        assert.isAtMost(bytes, 80_000)
      })
    )

    it.effect(
      "While scripts and styles are on their way there is a frame, which says after a second what it waits for",
      () =>
        Effect.gen(function* () {
          const { url } = yield* Dashboard
          const { page: open } = yield* Browser
          const page = yield* open()
          yield* Effect.promise(async () => {
            const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
            await page.route("**/assets/**", async (route) => {
              await arrived
              await route.continue()
            })
            await page.goto(url, { waitUntil: "commit" })
            await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length === 1)
            await page.getByText("Loading the dashboard…").waitFor()
            assert.isFalse(await page.getByText("This is taking longer than usual.").isVisible())
            arrive()
            await page.getByRole("heading", { name: "Log in" }).waitFor()
            assert.strictEqual(await page.locator(".frame").count(), 0)
          })
        })
    )
  })
})
