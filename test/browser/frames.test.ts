import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { tuesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { button, delayFrames, holdFrames, onceThere } from "./frames.ts"
import { getPost } from "./posts.ts"
import { createPost, makeList } from "./postsApi.ts"

const inTwoDays = () => new Date(Date.now() + 2 * 24 * 60 * 60_000).toISOString()

describe.skipIf(!canRunBrowser)("What is shown before the next frame comes, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("The title of the document goes with the page", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts", { ownClock: true })
        const title = yield* Effect.promise(async () => {
          await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor()
          await holdFrames(page)
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Posts" }).click()
          await page.waitForURL("**/posts")
          return page.title()
        })
        assert.strictEqual(title, "Posts · Social publisher")
      })
    )

    it.effect("A menu has the keys that are pressed right after it is opened, and a click beside it closes it", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts", { ownClock: true })
        const focused = yield* Effect.promise(async () => {
          const menu = page.getByRole("menu")
          const opener = page.getByRole("button", { name: /^You: / })
          await opener.waitFor()
          await holdFrames(page)
          await opener.click()
          await page.keyboard.press("End")
          const last = await page.evaluate("document.activeElement.innerText")
          await page.keyboard.press("Escape")
          await menu.waitFor({ state: "detached" })
          await opener.click()
          await menu.waitFor()
          await page.getByRole("main").click({ position: { x: 5, y: 5 } })
          await menu.waitFor({ state: "detached" })
          return last
        })
        assert.strictEqual(focused, "Log out")
      })
    )

    it.effect("How long requests wait is counted from now, however long the page has been open", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose", { ownClock: true })
        const words = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("One request too many")
          await page.route("**/v1/posts", (route) =>
            route.fulfill({
              status: 429,
              headers: { "retry-after": "40", ratelimit: '"workspace";r=0;t=40, "person";r=0;t=40' },
              json: { code: "rate_limited", detail: "One person may send 300 requests a minute" }
            })
          )
          // Skips most of a minute.
          await holdFrames(page)
          await page.getByRole("button", { name: "Save draft" }).click()
          return page.getByText("This page continues by itself").textContent()
        })
        assert.include(words, "in 40 seconds")
      })
    )

    it.effect("A day that is chosen for what was typed before is the time that is shown of it", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const shown = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("For another day")
          await delayFrames(page)
          await page.goto(new URL(`/compose?at=${encodeURIComponent(inTwoDays())}`, page.url()).href)
          return onceThere(
            page,
            'document.querySelector("textarea")',
            'return `${found.value}, ${document.querySelector(".compose-time") === null ? "without a time" : "with a time"}`'
          )
        })
        assert.strictEqual(shown, "For another day, with a time")
      })
    )

    it.effect("What is saved once the person has gone on to another page leaves them there", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose", { ownClock: true })
        const saved = Promise.withResolvers<void>()
        const path = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Saved late")
          await page.route("**/v1/posts", async (route) => {
            const response = await route.fetch()
            await saved.promise
            await route.fulfill({ response })
          })
          const isSent = page.waitForRequest("**/v1/posts")
          await page.getByRole("button", { name: "Save draft" }).click()
          await isSent
          await holdFrames(page)
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Accounts" }).click()
          await page.waitForURL("**/accounts")
          saved.resolve()
          await page.getByText("Saved as a draft").waitFor()
          return new URL(page.url()).pathname
        })
        assert.strictEqual(path, "/accounts")
      })
    )

    it.effect("What is typed as soon as a post can be changed is part of what is saved", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const { id } = yield* createPost("From before")
        const page = yield* enter("/accounts")
        yield* Effect.promise(async () => {
          await delayFrames(page)
          await page.goto(new URL(`/compose?post=${id}`, page.url()).href)
          await onceThere(
            page,
            'document.querySelector("textarea")',
            `found.value = "Typed at once"
            found.dispatchEvent(new InputEvent("input", { bubbles: true }))
            // After this, the change is rendered, but no frame has been drawn.
            await Promise.resolve()
            ${button("Save draft")}.click()`
          )
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
        })
        assert.strictEqual((yield* getPost(key, id)).content, "Typed at once")
      })
    )

    it.effect("A week is at its hour, and not at midnight first", () =>
      Effect.gen(function* () {
        const page = yield* enter("/", { ownClock: true, time: tuesday })
        const [shown, wanted] = yield* Effect.promise(async () => {
          await page.locator("[aria-current=date]").first().waitFor()
          await holdFrames(page)
          await page.keyboard.press("w")
          await page.locator(".calendar-now").waitFor()
          return page.locator(".calendar-week").evaluate((week): [scrolled: number, wanted: number] => {
            const hour = Number(week.querySelector(".calendar-now")?.closest("[data-hour]")?.dataset["hour"])
            const before = week.querySelector(`[data-hour="${Math.max(0, hour - 1)}"]`)
            return [week.scrollTop, Math.min(week.scrollHeight - week.clientHeight, (before?.offsetTop ?? 0) - 37)]
          })
        })
        assert.approximately(shown ?? 0, wanted ?? Infinity, 1)
      })
    )

    it.effect("A tall window is full of posts", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts", { height: 3000, ownClock: true })
        const list = makeList(100, new Date())
        const drawn = yield* Effect.promise(async () => {
          await page.route("**/v1/posts?*", (route) => route.fulfill({ json: { data: list, next_cursor: null } }))
          const places = page.getByRole("navigation", { name: "Pages" })
          const rows = page.getByRole("list", { name: "Posts" }).getByRole("listitem")
          await places.getByRole("link", { name: "Posts" }).click()
          await rows.nth(60).waitFor()
          await places.getByRole("link", { name: "Accounts" }).click()
          await rows.first().waitFor({ state: "detached" })
          await holdFrames(page)
          await places.getByRole("link", { name: "Posts" }).click()
          await rows.first().waitFor()
          return rows.count()
        })
        assert.isAbove(drawn, 60)
      })
    )
  })
})
