import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { calendar, centerOf, chipOn, dayCell, dayMillis, dayOf, drag, tuesday, wednesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { findFaults, findFaultsInBothSchemes } from "./axe.ts"
import { holdFrames } from "./frames.ts"
import { deletePost, goOutAt, hoursAhead } from "./posts.ts"
import { changePost, createPost, getPost, makeList } from "./postsApi.ts"

describe.skipIf(!canRunBrowser)("The calendar, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
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

    it.effect("A past post shows a hover, and a selected one keeps the accent under the pointer", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const { id } = yield* createPost("It went out", { schedule_at: hoursAhead(1) })
        const before = new Date(new Date().getTime() - 5 * dayMillis)
        yield* goOutAt(id, before)
        const page = yield* enter(`/?date=${dayOf(before)}`)
        const looks = yield* Effect.promise(async () => {
          const chip = page.locator(`[data-drag="${id}"]`)
          const look = () =>
            chip.evaluate(
              (element): string => element.ownerDocument.defaultView.getComputedStyle(element).backgroundColor
            )
          const token = (name: string) =>
            chip.evaluate((element, value): string => {
              element.insertAdjacentHTML("beforeend", "<i></i>")
              const sample = element.lastElementChild
              sample.style.background = value
              const color = element.ownerDocument.defaultView.getComputedStyle(sample).backgroundColor
              sample.remove()
              return color
            }, `var(--${name})`)
          await page.emulateMedia({ reducedMotion: "reduce" })
          await chip.hover()
          const hovered = await look()
          await chip.click({ modifiers: ["Control"] })
          const selected = await look()
          return { hovered, selected, hover: await token("hover"), accent: await token("accent-soft") }
        })
        assert.deepStrictEqual([looks.hovered, looks.selected], [looks.hover, looks.accent])
        yield* deletePost(key, id)
      })
    )

    it.effect("By touch a post that is held moves to another day, and one that is swiped stays", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Dragged by a finger", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar(), { width: 1200, touch: true, ownClock: true })
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
          // The finger moves before its press counts as long, because no timer runs while frames are held.
          await holdFrames(page)
          const from = await centerOf(moved)
          await touch("touchStart", from)
          // Moves along the week only. A swipe that also goes up or down would scroll through the months.
          await touch("touchMove", { x: start.x, y: from.y })
          await touch("touchEnd")
          await page.clock.resume()
          await moved.waitFor()
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
          await page.getByText(/ changed “Changed meanwhile” first. Look at it, then do it again.$/).waitFor()
          await chip.waitFor()
        })
        assert.strictEqual((yield* getPost(id)).scheduled_at, tuesday.toISOString())
      })
    )

    it.effect("A post that is dropped where its hour has passed stays, and another hour is asked for", () =>
      Effect.gen(function* () {
        const thursday = new Date(wednesday.getTime() + dayMillis)
        const morning = new Date(thursday.getTime() - 4 * 60 * 60_000)
        const { id } = yield* createPost("Not into the past", { schedule_at: morning.toISOString() })
        const page = yield* enter("/", { time: wednesday })
        const dialog = page.getByRole("dialog", { name: "Move to…" })
        const dropOn = (day: Date) =>
          Effect.promise(async () => {
            const chip = chipOn(page, thursday, "Not into the past")
            await chip.waitFor()
            await drag(page, chip, dayCell(page, day))
            await dialog.getByText("That time has passed. Choose another one.").waitFor()
          })
        yield* dropOn(tuesday)
        yield* Effect.promise(async () => {
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await chipOn(page, thursday, "Not into the past").waitFor()
        })
        assert.strictEqual((yield* getPost(id)).revision, 1)
        yield* dropOn(wednesday)
        assert.deepStrictEqual(yield* Effect.promise(() => findFaults(page)), [])
        yield* Effect.promise(async () => {
          await dialog.getByRole("button", { name: "Move", exact: true }).click()
          await chipOn(page, wednesday, "Not into the past").waitFor()
          await page.getByText(/^Moved to/).waitFor()
        })
        // The next full hour.
        const next = new Date(wednesday.getTime() + 30 * 60_000).toISOString()
        assert.strictEqual((yield* getPost(id)).scheduled_at, next)
        yield* deletePost((yield* Dashboard).key, id)
      })
    )

    it.effect(
      "A scheduled post that is dropped on the drafts becomes one if the person says so, and Undo schedules it",
      () =>
        Effect.gen(function* () {
          const { id } = yield* createPost("Not yet after all", { schedule_at: tuesday.toISOString() })
          const page = yield* enter(calendar())
          const tray = page.getByRole("complementary", { name: "Drafts without a time" })
          yield* Effect.promise(async () => {
            const chip = chipOn(page, tuesday, "Not yet after all")
            await chip.waitFor()
            await drag(page, chip, tray)
            const dialog = page.getByRole("dialog", { name: "Make it a draft?" })
            await dialog.getByRole("button", { name: "Another time" }).click()
            await page.getByRole("dialog", { name: "Move to…" }).getByRole("button", { name: "Cancel" }).click()
            await drag(page, chip, tray)
            await dialog.getByRole("button", { name: "Make it a draft" }).click()
            await tray.getByRole("button", { name: "Not yet after all" }).waitFor()
            await page.getByText("It is a draft without a time now").waitFor()
          })
          const { scheduled_at: at, status } = yield* getPost(id)
          assert.deepStrictEqual([status, at], ["draft", null])
          yield* Effect.promise(async () => {
            const answer = page.waitForResponse((response) => response.request().method() === "PATCH")
            await page.getByRole("button", { name: "Undo" }).click()
            await answer
            await chipOn(page, tuesday, "Not yet after all").waitFor()
          })
          const back = yield* getPost(id)
          assert.deepStrictEqual([back.status, back.scheduled_at], ["scheduled", tuesday.toISOString()])
          yield* deletePost((yield* Dashboard).key, id)
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
        const chip = page.getByRole("grid").getByRole("button", { name: "Moved by key" })
        yield* Effect.promise(async () => {
          // The first move is answered after the second key press, so that one notice reports both moves.
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
          await dialog.waitFor()
          // The date field has the focus, not the close button.
          assert.strictEqual(await page.evaluate("document.activeElement.type"), "date")
          await dialog.getByLabel("Day").fill(dayOf(wednesday))
          await dialog.getByLabel("Time", { exact: true }).fill("6:45 pm")
          const answer = page.waitForResponse((response) => response.request().method() === "PATCH")
          await dialog.getByRole("button", { name: "Move", exact: true }).click()
          await answer
          await page
            .locator(`[data-drop="${dayOf(wednesday)}T18"]`)
            .getByRole("button")
            .waitFor()
        })
        assert.include((yield* getPost(id)).scheduled_at ?? "", `${dayOf(wednesday)}T`)
      })
    )

    it.effect("A post that is out can’t be dragged, and the page says so", () =>
      Effect.gen(function* () {
        const at = new Date(tuesday.getTime() - 21 * dayMillis)
        const past = makeList(1, at).map((post) => ({ ...post, status: "published" }))
        const page = yield* enter(`/?date=${dayOf(at)}`, {}, (opened) =>
          opened.route("**/v1/posts?scheduled_from*", (route) =>
            route.fulfill({ json: { data: past, next_cursor: null } })
          )
        )
        yield* Effect.promise(async () => {
          await drag(page, page.getByRole("button", { name: "Post number 0" }), page.getByRole("columnheader").first())
          await page.getByText("Published posts stay as they are.").waitFor()
          await page.locator(".toast").getByRole("button", { name: "Duplicate" }).waitFor()
        })
        assert.strictEqual(yield* Effect.promise(() => page.locator("[data-dragging]").count()), 0)
      })
    )

    it.effect.each(["month", "week"])(
      "In a %s, each pixel of a column takes what is dropped on it, also on a line",
      (view) =>
        Effect.gen(function* () {
          const page = yield* enter(calendar(view))
          const [took, refused] = yield* Effect.promise(async () => {
            const cell = page.locator(`[data-drop][data-day="${dayOf(tuesday)}"]`)
            await cell.first().waitFor()
            const takes: unknown = await page.evaluate(`(() => {
            const area = document.querySelector(".calendar-${view}").getBoundingClientRect()
            const x = document.querySelector('[data-drop][data-day="${dayOf(tuesday)}"]').getBoundingClientRect().left + 20
            const heights = Array.from({ length: Math.floor(area.height) - 41 }, (_, offset) => Math.ceil(area.top) + 40 + offset)
            return heights.map((y) => document.elementFromPoint(x, y).closest("[data-drop]") !== null)
          })()`)
            const all = Array.isArray(takes) ? takes : []
            return [all.filter((each) => each === true).length, all.filter((each) => each === false).length] as const
          })
          assert.isAbove(took, 300)
          assert.strictEqual(refused, 0)
        })
    )

    it.effect("A post that was dragged past the edge of the view is dropped on a week that came into it", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Dragged far", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar())
        const far = new Date(tuesday.getTime() + 10 * 7 * dayMillis)
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
        // The drag reaches at least the first week that was not visible. If frames are rare, the view scrolls no
        // further.
        assert.isAtLeast(Date.parse(at ?? ""), tuesday.getTime() + 5 * 7 * dayMillis)
      })
    )

    it.effect("At its edge a drag scrolls the weeks no faster than a person can follow", () =>
      Effect.gen(function* () {
        yield* createPost("Dragged slowly", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar())
        const millis = yield* Effect.promise(async () => {
          const start = await centerOf(chipOn(page, tuesday, "Dragged slowly"))
          await page.mouse.move(start.x, start.y)
          await page.mouse.down()
          await page.mouse.move(start.x, 890, { steps: 4 })
          const scrolling: unknown = await page.evaluate(`new Promise((resolve) => {
            const area = document.querySelector("[data-scrolls]")
            const [from, began] = [area.scrollTop, performance.now()]
            const weeks = 3 * document.querySelector(".calendar-row").offsetHeight
            const look = () => {
              if (area.scrollTop - from < weeks) requestAnimationFrame(look)
              else resolve(performance.now() - began)
            }
            look()
          })`)
          await page.keyboard.press("Escape")
          await page.mouse.up()
          return scrolling
        })
        assert.isNumber(millis)
        assert.isAbove(Number(millis), 900)
      })
    )

    it.effect("A post that a key moves to a day with no room for it leaves the focus on what shows the day", () =>
      Effect.gen(function* () {
        const from = new Date(wednesday.getTime() + 14 * dayMillis)
        const to = new Date(from.getTime() + dayMillis)
        for (const words of ["One", "Two", "Three", "Four", "Five", "Six", "Seven"]) {
          yield* createPost(words, { schedule_at: to.toISOString() })
        }
        yield* createPost("Moved to a full day", { schedule_at: new Date(from.getTime() + 3_600_000).toISOString() })
        const page = yield* enter(`/?view=month&date=${dayOf(from)}`)
        const focused = yield* Effect.promise(async () => {
          await chipOn(page, from, "Moved to a full day").focus()
          await page.keyboard.press("Shift+ArrowRight")
          await page.getByText(/^Moved to/).waitFor()
          return page.evaluate("document.activeElement.textContent")
        })
        assert.match(String(focused), /^\+\d more$/)
      })
    )

    it.effect.each([1440, 900, 360])(
      "At %i px it has no barrier that axe-core knows of, in both color schemes",
      (width) =>
        Effect.gen(function* () {
          const page = yield* enter(calendar(), { width, touch: width < 720 })
          const wide = yield* Effect.promise(async () => {
            await page
              .getByRole("button", { name: /Scheduled/ })
              .first()
              .waitFor()
            return page.evaluate("document.documentElement.scrollWidth")
          })
          assert.strictEqual(wide, width)
          assert.deepStrictEqual(yield* Effect.promise(() => findFaultsInBothSchemes(page)), [])
        })
    )
  })
})
