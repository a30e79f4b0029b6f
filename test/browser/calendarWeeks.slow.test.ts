import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { calendar, dayCell, dayMillis, dayOf, titleOf, tuesday, wednesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost, makeList } from "./postsApi.ts"

describe.skipIf(!canRunBrowser)("The weeks of the calendar, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
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
            await month.evaluate((element) => {
              element.scrollBy(0, 6000)
            })
            await page.waitForURL(/date=/)
            const title = await page.locator(".calendar-title").innerText()
            const drawn = await page.locator(".calendar-row").count()
            assert.isAtMost(drawn, 10)
            // After a jump of eleven months, the months in between are not requested.
            assert.isAtMost(requests.length, 3)
            // This row is completely visible, so a click scrolls nothing.
            await page
              .locator(".calendar-add")
              .nth(4 * 7)
              .click()
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

    it.effect("The weeks in view stay in view when the window gets another size", () =>
      Effect.gen(function* () {
        const page = yield* enter("/")
        yield* Effect.promise(async () => {
          const today = page.locator("[aria-current=date]")
          await today.waitFor()
          for (const [width, height] of [
            [900, 900],
            [768, 1024],
            [1440, 700],
            [1440, 900]
          ] as const) {
            await page.setViewportSize({ width, height })
            // Waits until the page has followed the scrolling that the new size caused.
            await page.evaluate(`new Promise((resolve) => {
              let frames = 0
              const count = () => (++frames < 20 ? requestAnimationFrame(count) : resolve(undefined))
              count()
            })`)
            const box = await today.boundingBox()
            const area = await page.locator(".calendar-month").boundingBox()
            assert.isNotNull(box, `At ${width} × ${height} px`)
            assert.isAtLeast(box?.y ?? 0, area?.y ?? Infinity)
            assert.isBelow(box?.y ?? Infinity, (area?.y ?? 0) + (area?.height ?? 0))
          }
        })
      })
    )

    it.effect("Drafts without a time leave a window that becomes small to the posts, until somebody opens them", () =>
      Effect.gen(function* () {
        yield* createPost("Without a time")
        const page = yield* enter("/")
        yield* Effect.promise(async () => {
          const tray = page.getByRole("complementary", { name: "Drafts without a time" })
          const toggle = page.getByRole("button", { name: /^Drafts/ })
          await tray.waitFor()
          await page.setViewportSize({ width: 720, height: 450 })
          await tray.waitFor({ state: "detached" })
          await toggle.click()
          await tray.waitFor()
          await page.setViewportSize({ width: 1440, height: 900 })
          await tray.waitFor()
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
          // The date is far beyond the range that can be scrolled.
          await page.evaluate(
            "history.pushState(null, '', '/?date=2040-05-05'); dispatchEvent(new PopStateEvent('popstate'))"
          )
          await page.getByRole("heading", { name: "May 2040" }).waitFor()
          await page.keyboard.press("t")
          await page.locator("[aria-current=date]").first().waitFor()
        })
      })
    )

    it.effect("A week opens at its first post, and this week at the present hour", () =>
      Effect.gen(function* () {
        const evening = new Date(tuesday.getTime() + 12 * 7 * dayMillis + 8 * 60 * 60_000)
        yield* createPost("Late in the evening", { schedule_at: evening.toISOString() })
        const page = yield* enter(`/?view=week&date=${dayOf(evening)}`)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Late in the evening" }).waitFor()
          await page.evaluate(`new Promise((resolve) => {
            const look = () => {
              if (document.querySelector(".calendar-week").scrollTop > 100) resolve(true)
              else requestAnimationFrame(look)
            }
            look()
          })`)
          await page.getByRole("button", { name: "Today" }).click()
          await page.locator(".calendar-now").waitFor()
          const box = await page.locator(".calendar-now").boundingBox()
          assert.isTrue(box !== null && box.y >= 0 && box.y + box.height <= 900)
        })
      })
    )

    it.effect("In a window that is enlarged to twice its size the month is a list of days with their counts", () =>
      Effect.gen(function* () {
        const time = new Date(tuesday.getTime() + 14 * 7 * dayMillis)
        yield* createPost("Read from afar", { schedule_at: time.toISOString() })
        yield* createPost("Read from afar, too", { schedule_at: time.toISOString() })
        const page = yield* enter(`/?date=${dayOf(time)}`, { width: 720, height: 450 })
        yield* Effect.promise(async () => {
          const day = page.getByRole("region", { name: titleOf(time) })
          await day.getByText("2 posts").waitFor()
          assert.strictEqual(await day.getByRole("button", { name: /Read from afar/ }).count(), 4)
          assert.strictEqual(await page.getByRole("grid").count(), 0)
          await page.getByRole("button", { name: /^Go on to / }).waitFor()
        })
      })
    )

    it.effect.each([900, 768])("At %i px chips of the month have words, and nothing spills over them", (width) =>
      Effect.gen(function* () {
        const time = new Date(tuesday.getTime() + 15 * 7 * dayMillis)
        yield* createPost("Narrow words", { schedule_at: time.toISOString() })
        const page = yield* enter(`/?date=${dayOf(time)}`, { width })
        yield* Effect.promise(async () => {
          const words = page.locator(".calendar-chip-words", { hasText: "Narrow words" }).first()
          await words.waitFor()
          assert.isAbove((await words.boundingBox())?.width ?? 0, 40)
          const spilt = await page.evaluate(`Array.from(document.querySelectorAll(".calendar-chip")).filter((chip) => {
            const end = chip.getBoundingClientRect().right
            return Array.from(chip.querySelectorAll("*")).some((part) => part.getBoundingClientRect().right > end)
          }).length`)
          assert.strictEqual(spilt, 0)
        })
      })
    )

    it.effect("A chip and a row show the first file of a post, small, at a place that is kept for it", () =>
      Effect.gen(function* () {
        const time = new Date(tuesday.getTime() + 16 * 7 * dayMillis)
        const page = yield* enter("/posts")
        const [post] = makeList(1, time)
        const media = ["1", "2"].map((id) => ({ id, type: "image", alt: "", width: 640, height: 360 }))
        const list = [
          { ...post, id: "a", content: "Pictured", media },
          { ...post, id: "b", content: "Filmed", media: [{ ...media[0], type: "video" }] }
        ]
        const dot = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")
        yield* Effect.promise(async () => {
          await page.route("**/v1/posts?*", (route) => route.fulfill({ json: { data: list, next_cursor: null } }))
          const released = Promise.withResolvers<void>()
          await page.route("**/v1/media/1/thumbnail", async (route) => {
            await released.promise
            await route.fulfill({ body: dot, contentType: "image/gif" })
          })
          for (const path of ["/posts", `/?view=week&date=${dayOf(time)}`]) {
            await page.goto(new URL(path, page.url()).href)
            const picture = page.locator("[data-post=a] .picture, [data-drag=a] .picture").first()
            await picture.waitFor()
            const before = await picture.boundingBox()
            released.resolve()
            await page.evaluate("document.querySelector('.picture > img').decode()")
            assert.deepStrictEqual(await picture.boundingBox(), before)
            assert.strictEqual(await picture.getAttribute("aria-hidden"), "true")
            assert.strictEqual(
              await page.locator("[data-post=b] .picture > .icon, [role=grid] [data-drag=b] .picture > .icon").count(),
              1
            )
          }
        })
      })
    )

    it.effect("A month of 1,000 posts draws only what has a place, and a day opens whole", () =>
      Effect.gen(function* () {
        const page = yield* enter("/posts")
        const from = new Date(wednesday.getTime() - 14 * dayMillis)
        const [nodes, inDay] = yield* Effect.promise(async () => {
          await page.route("**/v1/posts?scheduled_from*", (route) =>
            route.fulfill({ json: { data: makeList(1000, from), next_cursor: null } })
          )
          await page.goto(new URL(calendar(), page.url()).href)
          await page
            .getByRole("button", { name: /^\+\d+ more$/ })
            .first()
            .waitFor()
          const drawn = await page.evaluate<number>("document.querySelectorAll('*').length")
          await dayCell(page, wednesday).getByRole("button", { name: /more$/ }).click()
          const day = page.getByRole("region", { name: titleOf(wednesday) })
          await day.waitFor()
          return [drawn, await day.locator("[data-drag]").count()] as const
        })
        assert.isBelow(nodes, 4000)
        assert.strictEqual(inDay, 36)
      })
    )
  })
})
