import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { calendar, tuesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost, deletePost, hoursAhead, sendFirstPart } from "./posts.ts"
import { both } from "./samples.ts"

describe.skipIf(!canRunBrowser)("Leaving, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("Back closes a dialog, keeps one with typed text, and leaves the page where it was", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "Stays", platforms: both, schedule_at: tuesday.toISOString() })
        const page = yield* enter("/posts")
        yield* Effect.promise(async () => {
          await page.goto(new URL(calendar(), page.url()).href)
          const dialog = page.getByRole("dialog", { name: "Move to…" })
          await page.getByRole("button", { name: "Stays" }).focus()
          await page.keyboard.press("d")
          await dialog.waitFor()
          const here = page.url()
          await page.goBack()
          await dialog.waitFor({ state: "detached" })
          assert.strictEqual(page.url(), here)
          await page.keyboard.press("d")
          await dialog.getByLabel("Time", { exact: true }).fill("10:00")
          await page.goBack()
          assert.strictEqual(await dialog.getByLabel("Time", { exact: true }).inputValue(), "10:00")
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await dialog.waitFor({ state: "detached" })
          assert.strictEqual(page.url(), here)
          // The step of the closed dialog is passed.
          await page.goBack()
          await page.waitForURL(/\/posts$/)
        })
        yield* deletePost(key, id)
      })
    )

    it.effect("Back closes the shortcut help, wherever it was opened, and leaves the page where it was", () =>
      Effect.gen(function* () {
        const page = yield* enter("/posts")
        yield* Effect.promise(async () => {
          const help = page.getByRole("dialog", { name: "Keyboard shortcuts" })
          const openAndGoBack = async () => {
            await page.keyboard.press("?")
            await help.waitFor()
            const here = page.url()
            await page.goBack()
            await help.waitFor({ state: "detached" })
            assert.strictEqual(page.url(), here)
          }
          for (const name of ["Approvals", "Settings", "Calendar"]) {
            await page.getByRole("link", { name, exact: true }).click()
            await page.locator("main h1").first().waitFor()
            await openAndGoBack()
          }
          // After a dialog that was closed otherwise, in another view, after a reload and after a step forward.
          await page.keyboard.press("?")
          await help.waitFor()
          await page.keyboard.press("Escape")
          await help.waitFor({ state: "detached" })
          await openAndGoBack()
          await page.keyboard.press("w")
          await page.waitForURL(/view=week/)
          await openAndGoBack()
          await page.goForward()
          await openAndGoBack()
          await page.reload()
          await page.getByRole("grid").waitFor()
          await openAndGoBack()
          await page.keyboard.press("t")
          await page.keyboard.press("j")
          await openAndGoBack()
        })
      })
    )

    it.effect("The editor of a half-sent post asks before it is left within the hour of its time", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const thread = [{ content: "The rest" }]
        const body = { content: "The beginning", platforms: ["twitter"], thread, schedule_at: hoursAhead(0.5) }
        const id = yield* createPost(key, body)
        yield* sendFirstPart(id, "scheduled")
        const page = yield* enter(`/compose?post=${id}`)
        yield* Effect.promise(async () => {
          await page.getByLabel("Tags").fill("late")
          await page.getByLabel("Tags").press("Enter")
          await page.getByRole("link", { name: "See the post" }).click()
          const dialog = page.getByRole("dialog", { name: "Leave without saving?" })
          await dialog.getByRole("button", { name: "Stay" }).click()
          await dialog.waitFor({ state: "detached" })
          assert.include(page.url(), "/compose")
          await page.getByRole("button", { name: "Save", exact: true }).click()
          await page.waitForURL(/\/posts\//)
        })
      })
    )

    it.effect("A begun post that only the browser has is shown beside the calendar, until it is discarded", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const faults = yield* Effect.promise(async () => {
          await page.route("**/v1/posts", (route) => route.abort())
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Begun on the train")
          await page.getByRole("link", { name: "Calendar" }).click()
          const note = page.getByRole("note").filter({ hasText: "Begun on the train" })
          await note.getByRole("link", { name: "Continue" }).waitFor()
          const found = await findFaults(page)
          await note.getByRole("button", { name: "Discard" }).click()
          await note.waitFor({ state: "detached" })
          return found
        })
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
