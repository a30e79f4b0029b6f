import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page, Route } from "playwright-core"
import { Browser, type PageOptions } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { findFaults } from "./axe.ts"
import { openAsDemo } from "./enter.ts"
import { holdFrames } from "./frames.ts"
import { createPost, deletePost, getPost, hoursAhead, makeAgentKey, newestPost, widthOf } from "./posts.ts"
import { endRoute } from "./routes.ts"
import { both } from "./samples.ts"

const failures: ReadonlyArray<readonly [string, (route: Route) => Promise<void>]> = [
  ["is refused", (route) => route.abort("connectionrefused")],
  ["is answered 503", (route) => route.fulfill({ status: 503, json: { status: 503, code: "unavailable" } })],
  ["is answered 404, as by the previous version", (route) => route.fulfill({ status: 404, body: "" })]
]

const timeZone = "America/Vancouver"
const bar = (page: Page) => page.getByText(`The service’s rules for ${timeZone} can’t be loaded.`, { exact: false })

/** Opens a path while the rules of time zones can't be loaded. Returns the page, and what lets them load again. */
const enterWithout = Effect.fnUntraced(function* (
  path: string,
  fail: (route: Route) => Promise<void>,
  options: PageOptions = {}
) {
  const { url } = yield* Dashboard
  const { page: open } = yield* Browser
  const page = yield* open({ timeZone, ...options })
  yield* Effect.promise(async () => {
    await page.route("**/time-zones?*", fail)
    await openAsDemo(page, url, path)
  })
  return { page, recover: () => endRoute(page, "**/time-zones?*") }
})

describe.skipIf(!canRunBrowser)("Time zone rules that can't be loaded, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    // Clocks of Vancouver no longer change; this Chromium does not know that yet.
    it.effect.each(failures)(
      "If the request %s, the page says so, and a chosen wall time is stored by the rules that arrive later",
      ([, fail]) =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const { page, recover } = yield* enterWithout("/compose", fail)
          yield* Effect.promise(async () => {
            await bar(page).waitFor()
            await page.getByRole("textbox", { name: "Text", exact: true }).fill("At nine in Vancouver")
            await page.getByRole("button", { name: "Schedule" }).click()
            await page.getByLabel("Day").fill("2027-01-20")
            await page.getByLabel("Time", { exact: true }).fill("09:00")
            await page.getByText("by this browser’s rules", { exact: false }).waitFor()
            await page.getByRole("button", { name: "Set the time" }).click()
            await recover()
            // Loads again by itself.
            await bar(page).waitFor({ state: "detached" })
            await page.locator(".compose-time").getByText("09:00", { exact: false }).waitFor()
            await page.getByRole("button", { name: "Save draft" }).click()
            await page.waitForURL(/\/posts\//)
          })
          const { scheduled_at } = yield* newestPost(key)
          assert.strictEqual(scheduled_at, "2027-01-20T16:00:00.000Z")
        })
    )

    it.effect("A time that is being typed when the rules arrive keeps its wall time, and the note goes", () =>
      Effect.gen(function* () {
        const { page, recover } = yield* enterWithout("/compose", (route) => route.abort(), { ownClock: true })
        const at = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("At nine in Vancouver")
          await page.getByRole("button", { name: "Schedule" }).click()
          await page.getByLabel("Day").fill("2027-01-20")
          await page.getByLabel("Time", { exact: true }).fill("09:00")
          const note = page.getByText("by this browser’s rules", { exact: false })
          await note.waitFor()
          await recover()
          // Loads again by itself.
          await page.clock.fastForward(15_000)
          await note.waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Set the time" }).click()
          return page.locator(".compose-time time").getAttribute("datetime")
        })
        assert.strictEqual(at, "2027-01-20T16:00:00.000Z")
      })
    )

    it.effect("A draft that waits for approval keeps its chosen wall time, also if a second choice is canceled", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const agent = yield* makeAgentKey
        const id = yield* createPost(agent, { content: "An agent asks", platforms: both, schedule_at: hoursAhead(40) })
        const { page, recover } = yield* enterWithout(`/compose?post=${id}`, (route) => route.abort(), {
          ownClock: true
        })
        yield* Effect.promise(async () => {
          const chosen = page.locator(".compose-time").getByRole("button").first()
          await chosen.click()
          await page.getByLabel("Day").fill("2027-01-20")
          await page.getByLabel("Time", { exact: true }).fill("09:00")
          await page.getByRole("button", { name: "Set the time" }).click()
          await chosen.click()
          await page.getByText("by this browser’s rules", { exact: false }).waitFor()
          await recover()
          // Loads again by itself.
          await page.clock.fastForward(15_000)
          await bar(page).waitFor({ state: "detached" })
          await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
          await chosen.getByText("09:00", { exact: false }).waitFor()
          await page.getByRole("button", { name: "Approve", exact: true }).click()
          await page.waitForURL(/\/posts\//)
        })
        const { scheduled_at, status } = yield* getPost(key, id)
        assert.deepStrictEqual([scheduled_at, status], ["2027-01-20T16:00:00.000Z", "scheduled"])
        yield* deletePost(key, id)
      })
    )

    it.effect("The time that the dialog of a move proposes keeps its wall time", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "Waits in the tray", platforms: both })
        const { page, recover } = yield* enterWithout("/", (route) => route.abort())
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Waits in the tray" }).focus()
          await page.keyboard.press("d")
          const time = page.getByRole("dialog").getByLabel("Time", { exact: true })
          await time.waitFor()
          const proposed = await time.inputValue()
          const note = page.getByText("by this browser’s rules", { exact: false })
          await note.waitFor()
          await recover()
          // Loads again by itself.
          await note.waitFor({ state: "detached" })
          assert.strictEqual(await time.inputValue(), proposed)
          await page.getByRole("button", { name: "Move", exact: true }).click()
          await page.getByText(/^Moved to/).waitFor()
        })
        yield* deletePost(key, id)
      })
    )

    it.effect("While the request is not answered, the page waits for some seconds, and then says so", () =>
      Effect.gen(function* () {
        const { page } = yield* enterWithout("/", () => Promise.resolve())
        yield* Effect.promise(() => bar(page).waitFor())
      })
    )

    it.effect.each([
      { width: 1440, colorScheme: "light" },
      { width: 390, colorScheme: "dark" }
    ] as const)("At $width pixels, the calendar says so too, and a click requests them again", (options) =>
      Effect.gen(function* () {
        const { page, recover } = yield* enterWithout("/", (route) => route.fulfill({ status: 503 }), {
          ...options,
          ownClock: true
        })
        yield* Effect.promise(async () => {
          await bar(page).waitFor()
          await page.getByRole("heading", { level: 1 }).waitFor()
          assert.deepStrictEqual(await findFaults(page), [])
          assert.strictEqual(await widthOf(page), options.width)
          // The page also tries by itself, and the button would be gone before the click. So the page's clock is paused,
          // and requests fail until the click has caused one.
          await holdFrames(page)
          const request = page.waitForRequest("**/time-zones?*")
          await page.getByRole("button", { name: "Retry" }).click()
          await request
          await recover()
          await page.clock.resume()
          await bar(page).waitFor({ state: "detached" })
        })
      })
    )
  })
})
