import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { calendar, dayMillis, dayOf, drag, tuesday, wednesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { deletePost, setQueue } from "./posts.ts"
import { changePost, createPost, getPost } from "./postsApi.ts"

const first = tuesday.toISOString()
const second = wednesday.toISOString()
const third = new Date(wednesday.getTime() + dayMillis).toISOString()
const times = [first, second, third]

const section = (page: Page) => page.getByRole("region", { name: "Order of the week" })
const placeOf = (page: Page, words: string) => section(page).getByRole("listitem").filter({ hasText: words })
const chip = (page: Page, words: string) => placeOf(page, words).locator(".calendar-chip")
const wordsIn = (page: Page) => section(page).locator(".calendar-chip-words").allInnerTexts()

/** In the zone of the browser. */
const localClock = (page: Page, at: Date) =>
  page.evaluate<string>(`new Date(${at.getTime()}).toTimeString().slice(0, 5)`)

const three = Effect.fnUntraced(function* (prefix: string) {
  return yield* Effect.forEach(times, (at, index) => createPost(`${prefix} ${index + 1}`, { schedule_at: at }))
})

const timesOf = (posts: ReadonlyArray<{ readonly id: string }>) =>
  Effect.forEach(posts, ({ id }) => Effect.map(getPost(id), ({ scheduled_at }) => scheduled_at))

describe.skipIf(!canRunBrowser)("The queue in the calendar, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect(
      "A post dragged onto another of the week takes its time, the others move on, and Undo takes it back",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const posts = yield* three("Dragged")
          const page = yield* enter(calendar("week"))
          const faults = yield* Effect.promise(async () => {
            await drag(page, chip(page, "Dragged 3"), placeOf(page, "Dragged 1"))
            await page.getByText(/^It goes out .* now/).waitFor()
            assert.deepStrictEqual(await wordsIn(page), ["Dragged 3", "Dragged 1", "Dragged 2"])
            return findFaults(page)
          })
          assert.deepStrictEqual(faults, [])
          assert.deepStrictEqual(yield* timesOf(posts), [second, third, first])
          yield* Effect.promise(async () => {
            const answer = page.waitForResponse((response) => response.request().method() === "PUT")
            await page.getByRole("button", { name: "Undo" }).click()
            await answer
          })
          assert.deepStrictEqual(yield* timesOf(posts), times)
          yield* Effect.forEach(posts, ({ id }) => deletePost(key, id))
        })
    )

    it.effect("By keyboard a post changes places with its neighbor, and keeps the focus", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const posts = yield* three("By key")
        const page = yield* enter(calendar("week"))
        yield* Effect.promise(async () => {
          await chip(page, "By key 1").focus()
          await page.keyboard.press("]")
          await page.getByText(/^It goes out .* now/).waitFor()
          await section(page).locator(".calendar-chip:focus").filter({ hasText: "By key 1" }).waitFor()
        })
        assert.deepStrictEqual(yield* timesOf(posts), [second, first, third])
        yield* Effect.forEach(posts, ({ id }) => deletePost(key, id))
      })
    )

    it.effect("If one of them was changed meanwhile the page names it, and nothing has moved", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const posts = yield* three("Contested")
        const page = yield* enter(calendar("week"))
        yield* Effect.promise(() => chip(page, "Contested 2").waitFor())
        yield* changePost(posts[1]?.id ?? "", { tags: ["meanwhile"] })
        yield* Effect.promise(async () => {
          await drag(page, chip(page, "Contested 3"), placeOf(page, "Contested 1"))
          await page.getByText(/changed “Contested 2” first/).waitFor()
        })
        assert.deepStrictEqual(yield* timesOf(posts), times)
        yield* Effect.forEach(posts, ({ id }) => deletePost(key, id))
      })
    )

    it.effect(
      "The date dialog says that a minute is taken, what else is planned that day, and proposes what is free",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const entries = ["11:30", "16:45"].map((time) => ({ weekday: "tuesday", time }))
          yield* setQueue(key, { time_zone: "UTC", entries })
          const taken = yield* createPost("Was here first", { schedule_at: tuesday.toISOString() })
          const { id } = yield* createPost("Looks for a time", { schedule_at: wednesday.toISOString() })
          const page = yield* enter(`/compose?post=${id}`)
          const faults = yield* Effect.promise(async () => {
            await page.locator(".compose-time").getByRole("button").first().click()
            const dialog = page.getByRole("dialog")
            await dialog.getByLabel("Day").fill(dayOf(tuesday))
            await dialog.getByLabel("Time", { exact: true }).fill(await localClock(page, tuesday))
            await dialog.getByText(/is taken on X and Bluesky by “Was here first”/).waitFor()
            await dialog.getByRole("list", { name: "Also planned" }).getByText("Was here first").waitFor()
            const found = await findFaults(page)
            const free = dialog.getByRole("group", { name: "What is free" }).getByRole("button")
            assert.strictEqual(await free.count(), 1)
            await free.click()
            await dialog.getByText(/is taken on/).waitFor({ state: "detached" })
            await dialog.getByRole("button", { name: "Save" }).click()
            await dialog.waitFor({ state: "detached" })
            await page.waitForURL(/\/posts\//)
            return found
          })
          assert.deepStrictEqual(faults, [])
          assert.strictEqual((yield* getPost(id)).scheduled_at, `${dayOf(tuesday)}T16:45:00.000Z`)
          yield* Effect.forEach([taken.id, id], (each) => deletePost(key, each))
          yield* setQueue(key, { time_zone: "UTC", entries: [] })
        })
    )

    it.effect(
      "Free slots are marked in both views, begin a post at their time, and move nothing when they arrive",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          yield* setQueue(key, {
            time_zone: "UTC",
            entries: [
              { weekday: "tuesday", time: "11:30" },
              { weekday: "tuesday", time: "16:45" }
            ]
          })
          const { id } = yield* createPost("Takes the first", { schedule_at: tuesday.toISOString() })
          const page = yield* enter(calendar())
          const shift = yield* Effect.promise(async () => {
            const free = page.locator(`.calendar-day[data-day="${dayOf(tuesday)}"] .calendar-free`)
            await free.waitFor()
            const label = await free.getAttribute("aria-label")
            assert.match(label ?? "", /, 1[678]:45$/)
            assert.deepStrictEqual(await findFaults(page), [])
            const moved = await page.evaluate<number>(
              "new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().reduce((sum, { value }) => sum + value, 0))).observe({ type: 'layout-shift', buffered: true }) || setTimeout(() => done(0), 300))"
            )
            await page.goto(new URL(calendar("week"), page.url()).href)
            await page.locator(".calendar-free").first().click()
            await page.waitForURL(/\/compose/)
            return moved
          })
          assert.strictEqual(new URL(page.url()).searchParams.get("at"), `${dayOf(tuesday)}T16:45:00.000Z`)
          assert.isAtMost(shift, 0.01)
          yield* deletePost(key, id)
          yield* setQueue(key, { time_zone: "UTC", entries: [] })
        })
    )
  })
})
