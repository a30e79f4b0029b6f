import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { innerServer } from "../outbound/innerServer.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

/** A site with a page that has a title, and a page that has none. */
const site = innerServer((request, response) => {
  response.setHeader("content-type", "text/html")
  response.end(request.url === "/release" ? "<title>Our release</title>" : "")
})

describe.skipIf(!canRunBrowser)("The card of a post that is being written, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("The preview shows the card of the first link, which is asked for once typing stops", () =>
      Effect.gen(function* () {
        const { port, requests } = yield* site
        const page = yield* enter("/compose")
        const link = `http://127.0.0.1:${port}/release`
        yield* Effect.promise(async () => {
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.pressSequentially(`See ${link}`)
          const card = page.locator(".preview-bluesky .preview-card")
          await card.getByText("Our release", { exact: true }).waitFor()
          await text.pressSequentially(" and more")
          await text.fill(`${link} first`)
          await card.getByText("Our release", { exact: true }).waitFor()
          await text.fill(`See http://127.0.0.1:${port}/untitled`)
          await card.getByText("The page can’t be read", { exact: false }).waitFor()
          await text.fill("No link")
          await card.waitFor({ state: "detached" })
        })
        assert.strictEqual(requests(), 2)
      })
    )

    it.effect("Nothing is asked for while the service can't be reached, and the card comes with the connection", () =>
      Effect.gen(function* () {
        const { port, requests } = yield* site
        const page = yield* enter("/compose")
        yield* Effect.promise(async () => {
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.fill("Hello")
          await page.context().setOffline(true)
          await text.fill(`See http://127.0.0.1:${port}/release`)
          await page.getByText("The service can’t be reached.", { exact: false }).waitFor()
          const card = page.locator(".preview-bluesky .preview-card")
          await card.getByText("are read from the page when you schedule", { exact: false }).waitFor()
          await page.context().setOffline(false)
          await card.getByText("Our release", { exact: true }).waitFor()
        })
        assert.strictEqual(requests(), 1)
      })
    )
  })
})
