import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults } from "./axe.ts"
import { Browser, canRunBrowser } from "./browser.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

/** Publishes two posts, of which each is notified. */
const publishTwo = Effect.gen(function* () {
  const { key, url } = yield* Dashboard
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  yield* Effect.promise(async () => {
    for (const content of ["First", "Second"]) {
      const draft = await fetch(`${url}/v1/posts`, {
        method: "POST",
        headers,
        body: JSON.stringify({ content, platforms: ["bluesky"] })
      })
      const id = /"id":"([^"]+)"/.exec(await draft.text())?.[1] ?? "none"
      await fetch(`${url}/v1/posts/${id}/publish`, { method: "POST", headers })
    }
  })
})

describe.skipIf(!canRunBrowser)("The dashboard's notifications, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer), { timeout: 60_000 })((it) => {
    it.effect("A notification is unread until a click opens its page, and all can be marked at once", () =>
      Effect.gen(function* () {
        yield* publishTwo
        const page = yield* enter("/notifications")
        const today = page.getByRole("region", { name: "Today" })
        const unread = today.getByText("(unread)")
        const counts = yield* Effect.promise(async () => {
          await today.getByRole("link").nth(1).waitFor()
          const before = await unread.count()
          await today.getByRole("link").first().click()
          await page.waitForURL("**/posts/*")
          await page.getByRole("link", { name: "Notifications" }).click()
          await today.getByRole("link").nth(1).waitFor()
          await unread.first().waitFor({ state: "attached" })
          await page.waitForFunction("document.querySelectorAll('.notification-unread').length === 1")
          const afterOne = await unread.count()
          await page.getByRole("button", { name: "Mark all as read" }).click()
          await page.getByRole("button", { name: "Mark all as read" }).waitFor({ state: "detached" })
          return [before, afterOne, await unread.count()]
        })
        assert.deepStrictEqual(counts, [2, 1, 0])
      })
    )

    it.effect.each(["light", "dark"] as const)("Everybody can use the notifications in the %s scheme", (colorScheme) =>
      Effect.gen(function* () {
        yield* publishTwo
        const page = yield* enter("/notifications", { colorScheme })
        yield* Effect.promise(() => page.getByRole("region", { name: "Today" }).getByRole("link").nth(1).waitFor())
        assert.deepStrictEqual(yield* Effect.promise(() => findFaults(page)), [])
      })
    )
  })
})
