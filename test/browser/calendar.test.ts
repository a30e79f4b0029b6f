import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { findFaults } from "./axe.ts"
import { changePost, createPost, getPost, makeList } from "./postsApi.ts"

const dayMillis = 24 * 60 * 60_000

/** The Tuesday and the Wednesday of a week to come, at half past eleven UTC. */
const tuesday = (() => {
  const day = new Date()
  day.setUTCHours(11, 30, 0, 0)
  day.setUTCDate(day.getUTCDate() + 7 + ((9 - day.getUTCDay()) % 7))
  return day
})()
const wednesday = new Date(tuesday.getTime() + dayMillis)
const dayOf = (date: Date) => date.toISOString().slice(0, 10)
const titleOf = (date: Date) =>
  date.toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" })

const calendar = (view = "month") => `/?view=${view}&date=${dayOf(tuesday)}`

const chipOn = (page: Page, date: Date, words: string) =>
  page.getByRole("cell", { name: titleOf(date), exact: true }).getByRole("button", { name: words })

const centerOf = async (locator: Locator) => {
  const box = await locator.boundingBox()
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
}

const drag = async (page: Page, from: Locator, to: Locator) => {
  const start = await centerOf(from)
  const end = await centerOf(to)
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(start.x + 10, start.y + 10)
  await page.mouse.move(end.x, end.y, { steps: 4 })
  await page.mouse.up()
}

const dayCell = (page: Page, date: Date) => page.getByRole("cell", { name: titleOf(date), exact: true })

describe.skipIf(!canRunBrowser)("The calendar, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer), { timeout: 60_000 })((it) => {
    it.effect(
      "A post that is dragged to another day goes out there at its time of the day, and Undo takes it back",
      () =>
        Effect.gen(function* () {
          const { id } = yield* createPost("Dragged by mouse", { schedule_at: tuesday.toISOString() })
          const page = yield* enter(calendar())
          yield* Effect.promise(async () => {
            await drag(page, chipOn(page, tuesday, "Dragged by mouse"), dayCell(page, wednesday))
            await page.getByText(/^Moved to/).waitFor()
            await chipOn(page, wednesday, "Dragged by mouse").waitFor()
          })
          assert.strictEqual((yield* getPost(id)).scheduled_at, wednesday.toISOString())
          yield* Effect.promise(async () => {
            const answer = page.waitForResponse((response) => response.request().method() === "PATCH")
            await page.getByRole("button", { name: "Undo" }).click()
            await answer
            await chipOn(page, tuesday, "Dragged by mouse").waitFor()
          })
          assert.strictEqual((yield* getPost(id)).scheduled_at, tuesday.toISOString())
        })
    )

    it.effect("By touch a post that is held moves to another day, and one that is swiped stays", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Dragged by a finger", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar(), { width: 1200, touch: true })
        const kept = yield* Effect.promise(async () => {
          const devTools = await page.context().newCDPSession(page)
          const touch = (type: "touchStart" | "touchMove" | "touchEnd", at?: { x: number; y: number }) =>
            devTools.send("Input.dispatchTouchEvent", { type, touchPoints: at === undefined ? [] : [at] })
          const chip = chipOn(page, tuesday, "Dragged by a finger")
          await chip.waitFor()
          const start = await centerOf(chip)
          const end = await centerOf(dayCell(page, wednesday))
          await touch("touchStart", start)
          await page.locator(".calendar-ghost").waitFor()
          await touch("touchMove", { x: (start.x + end.x) / 2, y: start.y })
          await touch("touchMove", end)
          await touch("touchEnd")
          await page.getByText(/^Moved to/).waitFor()
          const moved = chipOn(page, wednesday, "Dragged by a finger")
          await moved.waitFor()
          // It moves before it has rested, however long that takes.
          await page.clock.install()
          await page.clock.pauseAt(Date.now() + 60_000)
          await touch("touchStart", await centerOf(moved))
          await touch("touchMove", start)
          await touch("touchEnd")
          return moved.count()
        })
        assert.strictEqual(kept, 1)
        assert.strictEqual((yield* getPost(id)).scheduled_at, wednesday.toISOString())
      })
    )

    it.effect("A post that somebody else has changed meanwhile goes back to its day, and the page says why", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Changed meanwhile", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar())
        const chip = chipOn(page, tuesday, "Changed meanwhile")
        yield* Effect.promise(() => chip.waitFor())
        yield* changePost(id, { tags: ["changed"] })
        yield* Effect.promise(async () => {
          await drag(page, chip, dayCell(page, wednesday))
          await page.getByText("was changed by somebody else meanwhile").waitFor()
          await chip.waitFor()
        })
        assert.strictEqual((yield* getPost(id)).scheduled_at, tuesday.toISOString())
      })
    )

    it.effect("A draft that is dropped on a day gets its time at nine and stays a draft", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Waits in the tray")
        const page = yield* enter(calendar())
        const hour = yield* Effect.promise(async () => {
          const tray = page.getByRole("complementary", { name: "Drafts without a time" })
          await drag(page, tray.getByRole("button", { name: "Waits in the tray" }), dayCell(page, wednesday))
          await page.getByText(/^Moved to/).waitFor()
          return chipOn(page, wednesday, "Waits in the tray").textContent()
        })
        const { scheduled_at: at, status } = yield* getPost(id)
        assert.include(hour ?? "", "09:00")
        assert.strictEqual(dayOf(new Date(at ?? 0)), dayOf(wednesday))
        assert.strictEqual(status, "draft")
      })
    )

    it.effect("By keyboard a post moves by days, as often as a key is pressed, and to any time by a dialog", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Moved by key", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar("week"))
        const chip = page.getByRole("button", { name: "Moved by key" })
        yield* Effect.promise(async () => {
          // The first move is answered after the second key, so that one notice tells of both.
          const bothPressed = Promise.withResolvers<void>()
          await page.route(`**/v1/posts/${id}`, async (route) => {
            await bothPressed.promise
            await route.continue()
          })
          await chip.focus()
          await page.keyboard.press("Shift+ArrowRight")
          await page.keyboard.press("Shift+ArrowRight")
          bothPressed.resolve()
          await page.getByText(/^Moved to/).waitFor()
        })
        assert.strictEqual((yield* getPost(id)).scheduled_at, new Date(tuesday.getTime() + 2 * dayMillis).toISOString())
        yield* Effect.promise(async () => {
          await page.keyboard.press("d")
          const dialog = page.getByRole("dialog", { name: "Move to…" })
          // The field has the focus, not the button that closes.
          await page.keyboard.press("Shift+Tab")
          assert.strictEqual(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "Close")
          await dialog.getByLabel("Day").fill(dayOf(wednesday))
          await dialog.getByLabel("Time", { exact: true }).fill("6:45 pm")
          const answer = page.waitForResponse((response) => response.request().method() === "PATCH")
          await dialog.getByRole("button", { name: "Move", exact: true }).click()
          await answer
          await page
            .getByRole("cell", { name: `${titleOf(wednesday)}, 18:00` })
            .getByRole("button")
            .waitFor()
        })
        assert.include((yield* getPost(id)).scheduled_at ?? "", `${dayOf(wednesday)}T`)
      })
    )

    it.effect("A post that is out can’t be dragged, and the page says so", () =>
      Effect.gen(function* () {
        const page = yield* enter("/posts")
        const at = new Date(tuesday.getTime() - 21 * dayMillis)
        const past = makeList(1, at).map((post) => ({ ...post, status: "published" }))
        yield* Effect.promise(async () => {
          await page.route("**/v1/posts?scheduled_from*", (route) =>
            route.fulfill({ json: { data: past, next_cursor: null } })
          )
          await page.goto(new URL(`/?date=${dayOf(at)}`, page.url()).href)
          await drag(page, page.getByRole("button", { name: "Post number 0" }), page.getByRole("columnheader").first())
          await page.getByText("A published post stays at its time.").waitFor()
        })
        assert.strictEqual(yield* Effect.promise(() => page.locator("[data-dragging]").count()), 0)
      })
    )

    it.effect(
      "The month opens with this week in its second row, and goes on by scroll with few nodes and requests",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/notifications")
          const requests: Array<string> = []
          yield* Effect.promise(async () => {
            page.on("request", (request) => {
              if (request.url().includes("scheduled_from")) requests.push(request.url())
            })
            await page.goto(new URL("/", page.url()).href)
            const today = page.locator(".calendar-row").filter({ has: page.locator("[aria-current=date]") })
            await today.waitFor()
            const month = page.locator(".calendar-month")
            const rowsAbove = () =>
              month.evaluate((element) => {
                const top = element.querySelector("[role=rowgroup]")?.parentElement?.getBoundingClientRect().top ?? 0
                const row = element.querySelector("[aria-current=date]")?.closest("[role=row]")?.getBoundingClientRect()
                return row === undefined ? -1 : (row.top - top - 29) / row.height
              })
            assert.strictEqual(Math.round(await rowsAbove()), 1)
            assert.strictEqual(requests.length, 1)
            for (let step = 1; step <= 20; step++) {
              await month.evaluate((element) => {
                element.scrollBy(0, 300)
              })
            }
            await page.waitForURL(/date=/)
            const title = await page.locator(".calendar-title").innerText()
            const drawn = await page.locator(".calendar-row").count()
            assert.isAtMost(drawn, 10)
            // Eleven months on, what lies between is not asked for.
            assert.isAtMost(requests.length, 8)
            await page.locator(".calendar-add").nth(14).click()
            await page.waitForURL(/compose/)
            await page.goBack()
            await page.getByRole("heading", { name: title }).waitFor()
            await page.getByRole("button", { name: "Today" }).click()
            await today.waitFor()
            assert.strictEqual(Math.round(await rowsAbove()), 1)
            assert.strictEqual(new URL(page.url()).search, "")
          })
        })
    )

    it.effect("Arrow keys go from month to month, of which each is named where it begins", () =>
      Effect.gen(function* () {
        const page = yield* enter("/?date=2027-03-17")
        yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "March 2027" }).waitFor()
          for (const month of ["April 2027", "May 2027", "June 2027"]) {
            await page.keyboard.press("ArrowRight")
            await page.getByRole("heading", { name: month }).waitFor()
          }
          await page.getByRole("button", { name: "Jun 1", exact: true }).waitFor()
          await page.keyboard.press("ArrowLeft")
          await page.getByRole("heading", { name: "May 2027" }).waitFor()
          // Far beyond what can be scrolled to.
          await page.evaluate(
            "history.pushState(null, '', '/?date=2040-05-05'); dispatchEvent(new PopStateEvent('popstate'))"
          )
          await page.getByRole("heading", { name: "May 2040" }).waitFor()
          await page.keyboard.press("t")
          await page.locator("[aria-current=date]").first().waitFor()
        })
      })
    )

    it.effect("A post that was dragged past the edge of the view is dropped on a week that came into it", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Dragged far", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar())
        const far = new Date(tuesday.getTime() + 8 * 7 * dayMillis)
        yield* Effect.promise(async () => {
          const start = await centerOf(chipOn(page, tuesday, "Dragged far"))
          await page.mouse.move(start.x, start.y)
          await page.mouse.down()
          await page.mouse.move(start.x, 890, { steps: 4 })
          await dayCell(page, far).waitFor()
          await page.mouse.move(start.x, 600)
          await page.mouse.up()
          await page.getByText(/^Moved to/).waitFor()
        })
        const { scheduled_at: at } = yield* getPost(id)
        assert.isAbove(Date.parse(at ?? ""), tuesday.getTime() + 5 * 7 * dayMillis)
      })
    )

    it.effect("A week opens at its first post, and this week at the present hour", () =>
      Effect.gen(function* () {
        const evening = new Date(tuesday.getTime() + 12 * 7 * dayMillis + 8 * 60 * 60_000)
        yield* createPost("Late in the evening", { schedule_at: evening.toISOString() })
        const page = yield* enter(`/?view=week&date=${dayOf(evening)}`)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Late in the evening" }).waitFor()
          await page.waitForFunction("document.querySelector('.calendar-week').scrollTop > 100")
          await page.getByRole("button", { name: "Today" }).click()
          await page.locator(".calendar-now").waitFor()
          const box = await page.locator(".calendar-now").boundingBox()
          assert.isTrue(box !== null && box.y >= 0 && box.y + box.height <= 900)
        })
      })
    )

    it.effect("A month of 1,000 posts draws only what has a place, and a day opens whole", () =>
      Effect.gen(function* () {
        const page = yield* enter("/posts")
        const dayOfMonth = (day: number) => new Date(Date.UTC(tuesday.getUTCFullYear(), tuesday.getUTCMonth(), day))
        const middle = dayOfMonth(15)
        const [nodes, inDay] = yield* Effect.promise(async () => {
          await page.route("**/v1/posts?scheduled_from*", (route) =>
            route.fulfill({ json: { data: makeList(1000, dayOfMonth(1)), next_cursor: null } })
          )
          await page.goto(new URL(calendar(), page.url()).href)
          await page
            .getByRole("button", { name: /^\+\d+ more$/ })
            .first()
            .waitFor()
          const drawn = await page.evaluate<number>("document.querySelectorAll('*').length")
          await dayCell(page, middle).getByRole("button", { name: /more$/ }).click()
          const day = page.getByRole("complementary", { name: titleOf(middle) })
          await day.waitFor()
          return [drawn, await day.getByRole("button", { name: /Post number/ }).count()] as const
        })
        assert.isBelow(nodes, 4000)
        assert.strictEqual(inDay, 36)
      })
    )

    it.effect.each([
      ["light", 1440],
      ["dark", 1440],
      ["dark", 360]
    ] as const)("In the %s scheme at %i px it has no barrier that axe-core knows of", ([colorScheme, width]) =>
      Effect.gen(function* () {
        const page = yield* enter(calendar(), { colorScheme, width, touch: width < 720 })
        const wide = yield* Effect.promise(async () => {
          await page
            .getByRole("button", { name: /Scheduled/ })
            .first()
            .waitFor()
          return page.evaluate("document.documentElement.scrollWidth")
        })
        assert.strictEqual(wide, width)
        assert.deepStrictEqual(yield* Effect.promise(() => findFaults(page)), [])
      })
    )
  })
})
