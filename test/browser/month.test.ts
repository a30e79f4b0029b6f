import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { calendar, chipOn, dayCell, dayMillis, dayOf, tuesday, wednesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { approvePost, createPost as createAs, deletePost, makeAgentKey } from "./posts.ts"
import { createPost, getPost, makeList } from "./postsApi.ts"

const later = (date: Date, days: number) => new Date(date.getTime() + days * dayMillis)
const focusedPost = (page: Page) => page.evaluate<string | null>("document.activeElement.getAttribute('data-drag')")
const untilFocused = (page: Page, id: string) => page.locator(`[data-drag="${id}"]:focus`).waitFor()
const queryOf = (page: Page) => new URL(page.url()).searchParams

/** Presses keys and counts them. */
const makeKeyboard = (page: Page) => {
  const count = { keys: 0, tabs: 0 }
  const press = async (...keys: ReadonlyArray<string>) => {
    for (const key of keys) {
      count.keys += 1
      if (key === "Tab") count.tabs += 1
      await page.keyboard.press(key)
    }
  }
  return {
    count,
    press,
    type: async (text: string) => press(...Array.from(text, (letter) => (letter === " " ? "Space" : letter))),
    tabTo: async (text: string) => {
      for (let presses = 0; presses < 30; presses++) {
        if ((await page.evaluate("document.activeElement.textContent")) === text) return
        await press("Tab")
      }
      throw new Error(`Nothing with the text ${text} gets the focus`)
    }
  }
}

describe.skipIf(!canRunBrowser)("The month that people look at all day, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("With few keys a person finds a post from log-in on, moves it, takes it back, edits and approves", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const at = later(tuesday, 70)
        const { id } = yield* createPost("A journey by keys alone", { schedule_at: at.toISOString() })
        const agent = yield* makeAgentKey
        const body = { content: "It waits for somebody", platforms: ["twitter"], schedule_at: wednesday.toISOString() }
        const waiting = yield* createAs(agent, body)
        const page = yield* open()
        const { count, press, tabTo, type } = makeKeyboard(page)
        const moved = yield* Effect.promise(async () => {
          await page.goto(`${url}/login`)
          await page.getByLabel("Email").waitFor()
          await tabTo("Continue as demo")
          await press("Enter")
          await page.getByRole("grid").waitFor()
          await press("/")
          await type("keys journey")
          await press("Enter")
          await untilFocused(page, id)
          await press("Shift+ArrowRight")
          await page.getByText(/^Moved to/).waitFor()
          return [await focusedPost(page)]
        })
        assert.deepStrictEqual(moved, [id])
        assert.strictEqual((yield* getPost(id)).scheduled_at, later(at, 1).toISOString())
        yield* Effect.promise(async () => {
          const undone = page.waitForResponse((response) => response.request().method() === "PATCH")
          await press("Control+z")
          await undone
          await dayCell(page, at).locator(`[data-drag="${id}"]`).waitFor()
          await untilFocused(page, id)
        })
        assert.strictEqual((yield* getPost(id)).scheduled_at, at.toISOString())
        yield* Effect.promise(async () => {
          await press("Enter")
          const panel = page.getByRole("complementary", { name: "Post" })
          await panel.getByRole("link", { name: "Edit" }).waitFor()
          assert.isTrue(await panel.evaluate((element) => element.matches(":focus-within")))
          await press("Escape")
          await panel.waitFor({ state: "detached" })
          assert.strictEqual(await focusedPost(page), id)
          await press("Enter")
          await panel.getByRole("link", { name: "Edit" }).waitFor()
          await tabTo("Edit")
          await press("Enter")
          await page.waitForURL(/compose/)
          await page.getByRole("textbox", { name: "Text", exact: true }).waitFor()
          const saved = page.waitForResponse((response) => response.request().method() === "PATCH")
          await type("!")
          await press("Control+Enter")
          await saved
          await press("g", "c")
          await page.getByRole("grid").waitFor()
          await press("/")
          await type("waits")
          await press("Enter")
          await untilFocused(page, waiting)
          await press("Enter")
          await page.getByRole("complementary", { name: "Post" }).getByRole("button", { name: "Approve" }).waitFor()
          await tabTo("Approve")
          const approved = page.waitForResponse((response) => response.url().endsWith("/approve"))
          await press("Enter")
          await approved
        })
        assert.strictEqual((yield* getPost(waiting)).status, "scheduled")
        assert.isAtMost(count.tabs, 12)
        assert.isAtMost(count.keys, 70)
        yield* approvePost(key, waiting).pipe(Effect.ignoreCause)
      })
    )

    it.effect(
      "A search finds words apart and single characters in all posts, and shows the day of what is not in view",
      () =>
        Effect.gen(function* () {
          const far = later(tuesday, 84)
          const { id } = yield* createPost("黒い猫 sleeps on the warm keyboard", { schedule_at: far.toISOString() })
          const page = yield* enter(calendar())
          const day = far.toLocaleDateString("en-US", {
            month: "short",
            day: "numeric",
            year: "numeric",
            timeZone: "UTC"
          })
          yield* Effect.promise(async () => {
            const field = page.getByLabel("Search the calendar")
            for (const text of ["猫", "keyboard sleeps"]) {
              await field.fill(text)
              await page.getByRole("button", { name: `1 on ${day}: show` }).waitFor()
            }
            const width = (await page.locator(".calendar-month").boundingBox())?.y
            await page.getByRole("button", { name: `1 on ${day}: show` }).click()
            await untilFocused(page, id)
            assert.strictEqual((await page.locator(".calendar-month").boundingBox())?.y, width)
            await page.goBack()
            await page.waitForURL((address) => !address.searchParams.has("text"))
          })
          assert.strictEqual(queryOf(page).get("date"), dayOf(tuesday))
        })
    )

    it.effect("Back closes the panel, the day and the filters, one after the other, and stays in the calendar", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Opened and closed", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar())
        const panel = page.getByRole("complementary", { name: "Post" })
        yield* Effect.promise(async () => {
          await page.locator(`[data-drag="${id}"]`).click()
          await panel.waitFor()
          await page.goBack()
          await panel.waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Filters", exact: true }).click()
          await page.getByRole("button", { name: "Scheduled", exact: true }).click()
          await page.getByRole("button", { name: "Done" }).click()
          await dayCell(page, tuesday).locator(".calendar-day-number").click()
          await page.getByRole("region").locator(`[data-drag="${id}"]`).waitFor()
          await page.goBack()
          await page.getByRole("grid").waitFor()
          assert.strictEqual(queryOf(page).get("status"), "scheduled")
          await page.goBack()
          await page.getByRole("button", { name: "Filters", exact: true }).waitFor()
          // Closed by its own button, the panel leaves no step behind.
          await page.locator(`[data-drag="${id}"]`).click()
          await panel.getByRole("button", { name: "Close" }).first().click()
          await page.waitForURL((address) => !address.searchParams.has("post"))
          await page.goForward()
          await panel.waitFor()
        })
        assert.strictEqual(queryOf(page).get("post"), id)
      })
    )

    it.effect("The grid is one stop of the Tab key, and arrows, Home and End go through its days and weeks", () =>
      Effect.gen(function* () {
        const list = makeList(60, later(tuesday, -1)).map((post, index) => ({
          ...post,
          scheduled_at: later(tuesday, Math.floor(index / 3) - 1).toISOString()
        }))
        const page = yield* enter(calendar(), {}, (opened) =>
          opened.route("**/v1/posts?scheduled_from*", (route) =>
            route.fulfill({ json: { data: list, next_cursor: null } })
          )
        )
        yield* Effect.promise(async () => {
          await chipOn(page, tuesday, "Post number 3").waitFor()
          const stops = await page.locator(".calendar-month [tabindex='0'], .calendar-month a:not([tabindex])").count()
          assert.strictEqual(stops, 1)
          await chipOn(page, tuesday, "Post number 3").focus()
          const walk = async (key: string) => {
            await page.keyboard.press(key)
            return page.evaluate("document.activeElement.querySelector('.calendar-chip-words').textContent")
          }
          assert.deepStrictEqual(
            [
              await walk("ArrowDown"),
              await walk("ArrowRight"),
              await walk("ArrowUp"),
              await walk("ArrowLeft"),
              await walk("Home"),
              await walk("End")
            ],
            ["Post number 4", "Post number 7", "Post number 6", "Post number 3", "Post number 0", "Post number 18"]
          )
        })
      })
    )

    it.effect("Page Down and Page Up turn the month, and the focus stays on a day", () =>
      Effect.gen(function* () {
        const at = later(tuesday, 7)
        const { id } = yield* createPost("Has the focus first", { schedule_at: at.toISOString() })
        const page = yield* enter(calendar())
        const inMonth = (months: number) => {
          const day = new Date(at)
          day.setUTCMonth(day.getUTCMonth() + months)
          return dayOf(day)
        }
        const untilOn = (months: number) =>
          page.locator(`[data-day="${inMonth(months)}"] .calendar-day-number:focus`).waitFor()
        yield* Effect.promise(async () => {
          await page.locator(`[data-drag="${id}"]`).focus()
          await page.keyboard.press("PageDown")
          await untilOn(1)
          await page.waitForURL((address) => address.searchParams.get("date") === inMonth(1))
          await page.keyboard.press("PageDown")
          await untilOn(2)
          await page.keyboard.press("PageUp")
          await page.keyboard.press("PageUp")
          await page.keyboard.press("PageUp")
          await untilOn(-1)
          await page.keyboard.press("ArrowRight")
          assert.notStrictEqual(await page.evaluate("document.activeElement.tagName"), "BODY")
        })
      })
    )

    it.effect("A chip's menu is closed when somebody else deletes its post", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const at = later(tuesday, 1).toISOString()
        const { id } = yield* createPost("Deleted under an open menu", { schedule_at: at })
        const page = yield* enter(calendar())
        const menu = page.getByRole("menu", { name: "Post" })
        yield* Effect.promise(async () => {
          await page.locator(`[data-drag="${id}"]`).click({ button: "right" })
          await menu.waitFor()
        })
        yield* deletePost(key, id)
        yield* Effect.promise(async () => {
          await menu.waitFor({ state: "detached" })
          await page.locator(`[data-drag="${id}"]`).waitFor({ state: "detached" })
          await page.getByText("Somebody else deleted the post.").waitFor()
        })
      })
    )

    it.effect("Shift and D opens the day, and the help names it", () =>
      Effect.gen(function* () {
        const page = yield* enter(calendar())
        yield* Effect.promise(async () => {
          await page.getByRole("grid").waitFor()
          await page.keyboard.press("?")
          await page.getByRole("dialog").getByText("Day", { exact: true }).waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("dialog").waitFor({ state: "detached" })
          await page.keyboard.press("Shift+D")
          await page.waitForURL(/view=day/)
        })
      })
    )

    it.effect(
      "At two posts a day a chip has two lines of words, and the whole text is shown on hover and on focus",
      () =>
        Effect.gen(function* () {
          const content = `${"Words that people can read at a glance. ".repeat(6)}The end of it.`
          const at = later(tuesday, 98)
          const { id } = yield* createPost(content, { schedule_at: at.toISOString(), tags: ["shown"] })
          yield* createPost(content, { schedule_at: later(at, 0.1).toISOString() })
          const page = yield* enter(`/?date=${dayOf(at)}`)
          yield* Effect.promise(async () => {
            const chip = page.locator(`[data-drag="${id}"]`)
            const words = await chip.locator(".calendar-chip-words").boundingBox()
            assert.strictEqual(words?.height, 32)
            assert.isAbove(words?.width ?? 0, 100)
            const card = page.getByRole("tooltip")
            await chip.hover()
            await card.getByText("The end of it.").waitFor()
            await card.getByText("Scheduled").waitFor()
            assert.deepStrictEqual(await findFaults(page), [])
            await page.mouse.move(5, 5)
            await card.waitFor({ state: "detached" })
            await page.keyboard.press("/")
            await page.keyboard.press("Escape")
            await chip.focus()
            await card.getByText("#shown").waitFor()
            await page.keyboard.press("Escape")
            await card.waitFor({ state: "detached" })
            assert.strictEqual(await focusedPost(page), id)
          })
        })
    )

    it.effect("With forced colors the current page, the chosen view and today are still marked", () =>
      Effect.gen(function* () {
        const page = yield* enter("/")
        const marks = yield* Effect.promise(async () => {
          await page.emulateMedia({ forcedColors: "active" })
          await page.locator("[aria-current=date]").first().waitFor()
          return page.evaluate<ReadonlyArray<string>>(`(() => {
            const style = (selector) => getComputedStyle(document.querySelector(selector))
            return [
              style(".place[aria-current=page]").outlineStyle,
              style("[aria-current=date].calendar-day-number").outlineStyle,
              String(style(".tab[aria-selected=true]").backgroundColor !== style(".tab[aria-selected=false]").backgroundColor)
            ]
          })()`)
        })
        assert.deepStrictEqual(marks, ["solid", "solid", "true"])
      })
    )

    it.effect("On a phone at most a quarter of the height passes before the first post", () =>
      Effect.gen(function* () {
        const list = [-3, 0, 1].map((days, index) => ({
          ...makeList(1, tuesday)[0],
          id: String(index),
          scheduled_at: later(wednesday, days).toISOString()
        }))
        const page = yield* enter("/", { width: 390, touch: true, time: wednesday }, (opened) =>
          opened.route("**/v1/posts?scheduled_from*", (route) =>
            route.fulfill({ json: { data: list, next_cursor: null } })
          )
        )
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "1 earlier post" }).waitFor()
          const box = await page.locator(".calendar-chip").first().boundingBox()
          assert.isAtMost(box?.y ?? Infinity, 740 / 4)
        })
      })
    )
  })
})
