import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { calendar, tuesday, wednesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { holdFrames } from "./frames.ts"
import { widthOf } from "./posts.ts"
import { createPost, makeList } from "./postsApi.ts"

const rowsOf = (page: Page) => page.getByRole("list", { name: "Posts" }).getByRole("listitem")
const searchOf = (page: Page) => new URL(page.url()).searchParams

/**
 * Answers the page's requests for posts; only the last page has a post. Adds the text and the cursor of each search
 * request to `asked`.
 */
const answerInPages = (page: Page, pages: number, asked: Array<string>) => {
  const found = makeList(1, new Date())
  return page.route("**/v1/posts?*", (route) => {
    const query = new URL(route.request().url()).searchParams
    // The page also requests posts before the search.
    if (query.has("text")) asked.push(`${query.get("text")} ${query.get("cursor")}`)
    const number = Number(query.get("cursor") ?? 0) + 1
    const isLast = number === pages
    return route.fulfill({ json: { data: isLast ? found : [], next_cursor: isLast ? null : String(number) } })
  })
}

describe.skipIf(!canRunBrowser)("Search and filters, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("The key / leads to the search, whose matches are marked, and which stands in the address", () =>
      Effect.gen(function* () {
        const long = `${"Much was written before ".repeat(5)}the Größe of it`
        yield* createPost(long)
        yield* createPost("Another one", { tags: ["GRÖSSEN"] })
        yield* createPost("Nothing of it")
        const page = yield* enter("/posts")
        const [texts, marks, query, again, cleared] = yield* Effect.promise(async () => {
          await rowsOf(page).nth(2).waitFor()
          await page.keyboard.press("/")
          await page.keyboard.type(" grösse ")
          await page.getByText("2 posts with “grösse”").waitFor()
          const links = await rowsOf(page).getByRole("link").allTextContents()
          const marked = await page.locator("mark").allTextContents()
          const found = searchOf(page).get("text")
          await page.reload()
          await rowsOf(page).nth(1).waitFor()
          const value = await page.getByLabel("Search the posts").inputValue()
          await page.keyboard.press("/")
          await page.keyboard.press("Escape")
          await rowsOf(page).nth(2).waitFor()
          return [links, marked, found, value, page.url()] as const
        })
        assert.deepStrictEqual(marks, ["GRÖSSE", "Größe"])
        assert.strictEqual(texts[0], "Another one")
        assert.match(texts[1] ?? "", /^….*the Größe of it$/)
        assert.strictEqual(query, "grösse")
        assert.strictEqual(again, "grösse")
        assert.notInclude(cleared, "text=")
      })
    )

    it.effect("Pages without a match are gone through by themselves, and what is searched for is said", () =>
      Effect.gen(function* () {
        const asked = new Array<string>()
        const page = yield* enter("/posts?text=rare", {}, (opened) => answerInPages(opened, 4, asked))
        const status = yield* Effect.promise(async () => {
          await page.getByText("Post number 0").waitFor()
          return page.getByText("1 post with “rare”").textContent()
        })
        assert.deepStrictEqual(asked, ["rare null", "rare 1", "rare 2", "rare 3"])
        assert.strictEqual(status, "1 post with “rare”")
      })
    )

    it.effect("A search without any match says so at its end, and its text goes with the filters at once", () =>
      Effect.gen(function* () {
        const page = yield* enter("/posts?text=nowhere+to+be+found", { ownClock: true })
        const field = page.getByLabel("Search the posts")
        const text = yield* Effect.promise(async () => {
          await page.getByText("0 posts with “nowhere to be found”").waitFor()
          await holdFrames(page)
          await page.getByRole("button", { name: "Clear the filters" }).click()
          await page.getByRole("heading", { name: "No posts match" }).waitFor({ state: "detached" })
          return field.inputValue()
        })
        assert.strictEqual(text, "")
      })
    )

    it.effect(
      "A text whose pause is not over is not searched for once the filters are cleared or the page is left",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/posts?text=nowhere+to+be+found", { ownClock: true })
          const addresses = yield* Effect.promise(async () => {
            const field = page.getByLabel("Search the posts")
            const places = page.getByRole("navigation", { name: "Pages" })
            await page.getByRole("heading", { name: "No posts match" }).waitFor()
            await holdFrames(page)
            await field.fill("typed meanwhile")
            // The pause after typing begins and ends before the next frame.
            await page.clock.runFor(240)
            await page.getByRole("button", { name: "Clear the filters" }).click()
            await page.clock.runFor(400)
            const cleared = page.url()
            await field.fill("typed before")
            await page.clock.runFor(240)
            await places.getByRole("link", { name: "Notifications" }).click()
            await page.clock.runFor(400)
            return [cleared, page.url()].map((address) => new URL(address).search)
          })
          assert.deepStrictEqual(addresses, ["", ""])
        })
    )

    it.effect("A search on the calendar dims what does not match, and filters stay in its address", () =>
      Effect.gen(function* () {
        yield* createPost("Planned alpha", { schedule_at: tuesday.toISOString(), tags: ["plan"] })
        yield* createPost("Planned beta", { schedule_at: tuesday.toISOString(), tags: ["plan"] })
        yield* createPost("Without the tag", { schedule_at: tuesday.toISOString() })
        const page = yield* enter(calendar())
        const chips = page.locator(".calendar-main [data-drag]")
        const [dimmed, query, shown, inList] = yield* Effect.promise(async () => {
          await chips.filter({ hasText: "Without the tag" }).waitFor()
          await page.getByRole("button", { name: "Filters", exact: true }).click()
          await page.getByLabel("Tag", { exact: true }).fill("plan")
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Done" }).click()
          await chips.filter({ hasText: "Without the tag" }).waitFor({ state: "detached" })
          await page.keyboard.press("Escape")
          await page.getByLabel("Search the calendar").fill("alpha")
          await page.getByText("1 here").waitFor()
          const dim = await page.locator(".calendar-chip-dim").allTextContents()
          const count = await chips.count()
          await page.getByRole("button", { name: "Filters 1 on" }).click()
          await page.getByRole("group", { name: "Made by" }).getByRole("button", { name: "Me", exact: true }).click()
          await page.getByText("No post has these words.").waitFor()
          const { search } = new URL(page.url())
          await page.getByRole("button", { name: "Clear", exact: true }).click()
          await page.getByRole("button", { name: "Done" }).click()
          await chips.filter({ hasText: "Without the tag" }).waitFor()
          return [dim, new URLSearchParams(search), count, search] as const
        })
        assert.lengthOf(dimmed, 1)
        assert.include(dimmed[0], "Planned beta")
        assert.strictEqual(shown, 2)
        assert.deepStrictEqual([query.get("tag"), query.get("text")], ["plan", "alpha"])
        assert.include(inList, "by=")
      })
    )

    it.effect.each([1440, 360])(
      "At %i px searches have no barrier that axe-core knows of, in both color schemes",
      (width) =>
        Effect.gen(function* () {
          yield* createPost("Searched for in all schemes", { schedule_at: wednesday.toISOString() })
          yield* createPost("Not this one", { schedule_at: wednesday.toISOString() })
          for (const path of ["/posts", calendar("week"), "/"]) {
            const page = yield* enter(path, { width, touch: width < 720, time: tuesday })
            const wide = yield* Effect.promise(async () => {
              await page.getByLabel(/^Search the/).fill("searched FOR")
              await page.getByText(/posts? with|\d+ here/).waitFor()
              await page.locator("mark").first().waitFor({ state: "attached" })
              return widthOf(page)
            })
            assert.strictEqual(wide, width)
            assert.deepStrictEqual(yield* Effect.promise(() => findFaultsInBothSchemes(page)), [], path)
          }
        })
    )
  })
})
