import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter, openAsDemo } from "./enter.ts"
import { changePost, createPost, getPost } from "./postsApi.ts"

describe.skipIf(!canRunBrowser)("Pages that are opened, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("What is typed right after the key for a post is its text, and no letter of it is a shortcut", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        const written = yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "Accounts" }).waitFor()
          await page.keyboard.type("nGo now")
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.waitFor()
          await page.keyboard.type(" or never")
          return [await text.inputValue(), new URL(page.url()).pathname]
        })
        assert.deepStrictEqual(written, ["Go now or never", "/compose"])
      })
    )

    it.effect("What is typed right after Edit is added to the post's text", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("A draft")
        const page = yield* enter(`/posts/${id}`)
        const written = yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Edit" }).click()
          await page.keyboard.type("got")
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.waitFor()
          await page.keyboard.type(" it")
          return [await text.inputValue(), new URL(page.url()).pathname]
        })
        assert.sameMembers(Array.from(written[0] ?? ""), Array.from("A draftgot it"))
        assert.strictEqual(written[1], "/compose")
      })
    )

    it.effect("A draft with a time that is to come is scheduled from its page", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("A planned draft", {
          schedule_at: new Date(Date.now() + 3_600_000).toISOString()
        })
        yield* changePost(id, { status: "draft" })
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Schedule" }).click()
          await page.getByText("It goes out at its time").waitFor()
        })
        assert.strictEqual((yield* getPost(id)).status, "scheduled")
      })
    )

    it.effect("Times that were shown before a while on another page are told by the present", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        yield* createPost("Out soon", { schedule_at: new Date(Date.now() + 10 * 60_000).toISOString() })
        const { page: open } = yield* Browser
        const page = yield* open({ ownClock: true })
        const [before, after] = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/posts")
          const time = page.getByRole("listitem").filter({ hasText: "Out soon" }).locator("time").first()
          const first = await time.textContent()
          await page.getByRole("link", { name: "Settings" }).click()
          await page.getByRole("heading", { name: "Settings" }).waitFor()
          await page.clock.fastForward("00:13:00")
          await page.getByRole("link", { name: "Posts" }).click()
          return [first, await time.textContent()]
        })
        assert.deepStrictEqual([before, after], ["in 10 min", "3 min ago"])
      })
    )
  })
})
