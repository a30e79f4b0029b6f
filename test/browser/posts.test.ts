import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { findFaults } from "./axe.ts"
import { createPost, makeList } from "./postsApi.ts"

const soon = new Date(Date.now() + 3 * 24 * 60 * 60_000).toISOString()

describe.skipIf(!canRunBrowser)("The list of posts, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("Filters narrow the list, stand in its address and come back with it", () =>
      Effect.gen(function* () {
        yield* createPost("A scheduled release", { schedule_at: soon, tags: ["release"] })
        yield* createPost("A draft without a time", { tags: ["release"] })
        const page = yield* enter("/posts")
        const posts = page.getByRole("list", { name: "Posts" }).getByRole("listitem")
        const [all, scheduled, query, afterReload, none] = yield* Effect.promise(async () => {
          await posts.first().waitFor()
          const before = await posts.count()
          await page.getByRole("button", { name: "Scheduled", exact: true }).click()
          await page.getByLabel("Tag").fill("release")
          await page.keyboard.press("Enter")
          await page.getByText("A draft without a time").waitFor({ state: "detached" })
          // The list is empty until it is loaded with the filters.
          await posts.first().waitFor()
          const texts = await posts.getByRole("link").allTextContents()
          const { search } = new URL(page.url())
          await page.reload()
          await posts.first().waitFor()
          const again = await posts.count()
          await page.getByRole("button", { name: "Failed", exact: true }).click()
          await page.getByRole("heading", { name: "No posts match" }).waitFor()
          await page.getByRole("button", { name: "Clear the filters" }).click()
          await page.getByText("A draft without a time").waitFor()
          return [before, texts, search, again, new URL(page.url()).search] as const
        })
        assert.strictEqual(all, 2)
        assert.deepStrictEqual(scheduled, ["A scheduled release"])
        assert.strictEqual(query, "?status=scheduled&tag=release")
        assert.strictEqual(afterReload, 1)
        assert.strictEqual(none, "")
      })
    )

    it.effect(
      "The keys j and k go through 1,000 posts, of which only those near the view are drawn, and Enter opens one",
      () =>
        Effect.gen(function* () {
          const list = makeList(1000, new Date())
          const page = yield* enter("/posts", {}, (opened) =>
            opened.route("**/v1/posts?*", (route) => {
              const from = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0)
              const data = list.slice(from, from + 100)
              return route.fulfill({ json: { data, next_cursor: from + 100 < 1000 ? String(from + 100) : null } })
            })
          )
          const [nodes, focused, path] = yield* Effect.promise(async () => {
            await page.getByText("Post number 0", { exact: true }).waitFor()
            for (let loaded = 100; loaded <= 1000; loaded += 100) {
              await page.locator(`[aria-setsize="${loaded}"]`).first().waitFor()
              await page.locator("main").evaluate((main) => main.scrollTo(0, main.scrollHeight))
            }
            await page.getByText("Post number 999", { exact: true }).waitFor()
            const drawn = await page.evaluate<number>("document.querySelectorAll('*').length")
            await page.locator("main").evaluate((main) => {
              main.scrollTo(0, 0)
            })
            await page.getByText("Post number 0", { exact: true }).waitFor()
            for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key)
            const text = await page.evaluate<string>("document.activeElement.textContent")
            await page.keyboard.press("Enter")
            await page.waitForURL("**/posts/*")
            return [drawn, text, new URL(page.url()).pathname] as const
          })
          assert.isBelow(nodes, 2500)
          assert.strictEqual(focused, "Post number 1")
          assert.strictEqual(path, `/posts/${list[1]?.id}`)
        })
    )

    it.effect.each([
      ["light", 1440],
      ["dark", 360]
    ] as const)("In the %s scheme at %i px it has no barrier that axe-core knows of", ([colorScheme, width]) =>
      Effect.gen(function* () {
        yield* createPost("Unsere Herbstveröffentlichung: Benachrichtigungseinstellungen", { schedule_at: soon })
        yield* createPost("秋のリリースが公開されました。検索が速くなり、予定を手で動かせます。")
        const page = yield* enter("/posts", { colorScheme, width, touch: width < 720 })
        const wide = yield* Effect.promise(async () => {
          await page.getByRole("list", { name: "Posts" }).waitFor()
          return page.evaluate("document.documentElement.scrollWidth")
        })
        assert.strictEqual(wide, width)
        assert.deepStrictEqual(yield* Effect.promise(() => findFaults(page)), [])
      })
    )
  })
})
