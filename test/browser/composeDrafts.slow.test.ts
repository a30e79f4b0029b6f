import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Route } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter, openAsDemo } from "./enter.ts"
import { changePost, createPost, deletePost, getPost, hoursAhead, newestPost } from "./posts.ts"
import { endRoute, routeOnce } from "./routes.ts"
import { both } from "./samples.ts"

describe.skipIf(!canRunBrowser)("What is typed and not saved yet, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("What is typed stays when the session ends meanwhile, and is saved after the next log-in", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Typed while the session ended")
          // The session must not end earlier, because any response that reports its end opens the log-in.
          const ended = Promise.withResolvers<number>()
          const endSession = async (route: Route) => {
            const response = await page.context().request.delete(`${url}/v1/session`, { headers: { origin: url } })
            await route.continue()
            ended.resolve(response.status())
          }
          await routeOnce(page, "**/v1/posts", (route) => endSession(route).catch(ended.reject))
          await page.getByRole("button", { name: "Save draft" }).click()
          assert.strictEqual(await ended.promise, 200)
          await page.getByRole("button", { name: "Continue as demo" }).click()
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.waitFor()
          assert.strictEqual(await text.inputValue(), "Typed while the session ended")
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
        })
        assert.strictEqual((yield* newestPost(key)).content, "Typed while the session ended")
      })
    )

    it.effect("A text that was typed without a connection is checked once the connection is back", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.fill("Short")
          await page.context().setOffline(true)
          await text.fill("a".repeat(292))
          await page.getByText("The service can’t be reached. What you type is kept.").waitFor()
          await page.context().setOffline(false)
          await page.getByText("X accepts 280 characters. This is 12 too many.").waitFor()
        })
      })
    )

    it.effect("Typed text survives a reload, and is sent once the connection is back", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Typed before the connection was cut")
          await page.reload()
          await page.getByText("What you typed before is back.").waitFor()
          await page.context().setOffline(true)
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("alert").filter({ hasText: "It is not known whether this change arrived" }).waitFor()
          await page.context().setOffline(false)
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
        })
        assert.strictEqual((yield* newestPost(key)).content, "Typed before the connection was cut")
      })
    )

    it.effect("After a lost response to Publish now or Schedule the composer says that the post may have arrived", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        for (const action of ["Publish now", "Schedule"] as const) {
          const page = yield* enter("/compose")
          const text = `Lost on the way back: ${action}`
          yield* Effect.promise(async () => {
            await page.getByRole("textbox", { name: "Text", exact: true }).fill(text)
            await page.getByText("Saved as a draft").waitFor()
            await page.getByRole("button", { name: action, exact: true }).click()
            const dialog = page.getByRole("dialog")
            if (action === "Schedule") await dialog.getByRole("button", { name: /^Next free time/ }).click()
            await page.route("**/v1/posts/*", async (route) => {
              if (route.request().method() !== "PATCH") return route.continue()
              await route.fetch()
              await route.abort()
            })
            await dialog.getByRole("button", { name: action, exact: true }).click()
            await page.getByRole("alert").filter({ hasText: "It is not known whether this change arrived" }).waitFor()
          })
          const { content, status } = yield* newestPost(key)
          assert.strictEqual(content, text)
          assert.notStrictEqual(status, "draft")
        }
      })
    )

    it.effect("A post whose response was lost is not created a second time after a reload or a change", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Created at the first attempt")
          await page.route("**/v1/posts", async (route) => {
            await route.fetch()
            await route.abort()
          })
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("alert").filter({ hasText: "It is not known whether this change arrived" }).waitFor()
          await endRoute(page, "**/v1/posts")
          await page.reload()
        })
        const first = yield* newestPost(key)
        yield* Effect.promise(async () => {
          await page.getByText("What you typed before is back.").waitFor()
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Changed after the first attempt")
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("alert").filter({ hasText: "The first attempt has arrived after all" }).waitFor()
        })
        assert.deepStrictEqual(
          [first.content, (yield* newestPost(key)).content],
          ["Created at the first attempt", "Created at the first attempt"]
        )
      })
    )

    it.effect("What was typed for a post that was deleted meanwhile is saved as a new draft", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, { content: "Before", platforms: both, tags: ["kept"] })
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/compose?post=${id}`)
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Typed while it was deleted")
        })
        yield* deletePost(key, id)
        const faults = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Save draft" }).click()
          const alert = page.getByRole("alert").filter({ hasText: "The post has been deleted" })
          await alert.waitFor()
          const found = await findFaults(page)
          await alert.getByRole("button", { name: "Save as a new draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          await page.getByRole("link", { name: "kept" }).waitFor()
          return found
        })
        assert.deepStrictEqual(faults, [])
        assert.strictEqual((yield* newestPost(key)).content, "Typed while it was deleted")
      })
    )

    it.effect("What was typed for a post that was deleted before a reload can still be read, and saved", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, { content: "Before", platforms: both })
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/compose?post=${id}`)
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Typed for a post that is gone")
        })
        yield* deletePost(key, id)
        const kept = yield* Effect.promise(async () => {
          await page.reload()
          return page.getByLabel("What you typed for it").inputValue()
        })
        assert.strictEqual(kept, "Typed for a post that is gone")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Save as a new draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          await page.goto(`${url}/compose?post=${id}`)
          await page.getByText("The post can’t load").waitFor()
          assert.strictEqual(await page.getByLabel("What you typed for it").count(), 0)
        })
        assert.strictEqual((yield* newestPost(key)).content, "Typed for a post that is gone")
      })
    )

    it.effect("Each tab keeps the text of its own, and that of a tab that was closed goes to the next one", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const first = yield* open()
        const textIn = async (page: typeof first) => {
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.waitFor()
          return { text, value: await text.inputValue() }
        }
        const values = yield* Effect.promise(async () => {
          await openAsDemo(first, url, "/compose")
          await (await textIn(first)).text.fill("Of the first tab")
          const second = await first.context().newPage()
          await second.goto(`${url}/compose`)
          const ofSecond = await textIn(second)
          await ofSecond.text.fill("Of the second tab")
          const opened = first.waitForEvent("popup")
          await first.evaluate("void window.open(location.href)")
          const ofCopy = await textIn(await opened)
          await ofCopy.text.fill("Of a copy of the first tab")
          await first.reload()
          await second.reload()
          const reloaded = [(await textIn(first)).value, (await textIn(second)).value]
          await second.close()
          await first.evaluate(`(async () => {
            while ((await navigator.locks.query()).held.length !== 2) await new Promise(requestAnimationFrame)
          })()`)
          const third = await first.context().newPage()
          await third.goto(`${url}/compose`)
          return [ofSecond.value, ofCopy.value, ...reloaded, (await textIn(third)).value]
        })
        assert.deepStrictEqual(values, ["", "", "Of the first tab", "Of the second tab", "Of the second tab"])
      })
    )

    it.effect("What one tab typed for a post stays in the browser when another tab saves the same post", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const first = yield* open()
        const id = yield* createPost(key, { content: "Before", platforms: both, schedule_at: hoursAhead(40) })
        const kept = yield* Effect.promise(async () => {
          await openAsDemo(first, url, `/compose?post=${id}`)
          const second = await first.context().newPage()
          await second.goto(`${url}/compose?post=${id}`)
          await second.getByRole("textbox", { name: "Text", exact: true }).fill("Of the second tab")
          const removed = second.evaluate(`new Promise((resolve) => {
            window.addEventListener("storage", ({ newValue }) => newValue === null && resolve())
          })`)
          await first.getByRole("textbox", { name: "Text", exact: true }).fill("Of the first tab")
          await first.getByRole("button", { name: "Save", exact: true }).click()
          await removed
          await second.reload()
          return second.getByRole("textbox", { name: "Text", exact: true }).inputValue()
        })
        assert.deepStrictEqual([(yield* getPost(key, id)).content, kept], ["Of the first tab", "Of the second tab"])
      })
    )

    it.effect.each([
      ["", ""],
      [" in a browser without Web Locks", "delete Navigator.prototype.locks"]
    ] as const)(
      "What two tabs typed for a post stays, and both versions are shown before one replaces the other%s",
      ([, script]) =>
        Effect.gen(function* () {
          const { key, url } = yield* Dashboard
          const { page: open } = yield* Browser
          const first = yield* open()
          const id = yield* createPost(key, { content: "Before", platforms: both, schedule_at: hoursAhead(40) })
          const textIn = (page: typeof first) => page.getByRole("textbox", { name: "Text", exact: true })
          const other = "You changed this post in another tab too"
          yield* Effect.promise(async () => {
            await first.context().addInitScript(script)
            await openAsDemo(first, url, `/compose?post=${id}`)
            const second = await first.context().newPage()
            await second.goto(`${url}/compose?post=${id}`)
            await textIn(second).waitFor()
            await textIn(first).fill("Of the first tab")
            await textIn(second).fill("Of the second tab")
            for (const page of [first, second]) await page.getByText(other).waitFor()
            await first.reload()
            await second.reload()
            assert.strictEqual(await textIn(first).inputValue(), "Of the first tab")
            assert.strictEqual(await textIn(second).inputValue(), "Of the second tab")
            for (const page of [first, second]) await page.getByText(other).waitFor()
            // Both tabs are closed, and another one continues.
            const third = await first.context().newPage()
            await first.close()
            await second.close()
            await third.goto(`${url}/posts/${id}`)
            await third.getByRole("link", { name: "Continue" }).click()
            const continued = await textIn(third).inputValue()
            assert.include(["Of the first tab", "Of the second tab"], continued)
            await third.getByRole("button", { name: "Save", exact: true }).click()
            await third.getByRole("link", { name: "Continue" }).click()
            const dialog = third.getByRole("dialog", { name: "This post has changed since you opened it" })
            await dialog
              .getByRole("region", { name: /^Saved by / })
              .getByText(continued)
              .waitFor()
            const left = continued === "Of the first tab" ? "Of the second tab" : "Of the first tab"
            await dialog.getByRole("region", { name: "Yours" }).getByText(left).waitFor()
            await dialog.getByRole("button", { name: "Take theirs" }).click()
            assert.strictEqual(await third.getByText(other).count(), 0)
          })
          assert.match((yield* getPost(key, id)).content, /^Of the (?:first|second) tab$/)
        })
    )

    it.effect.each([
      ["full", "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"],
      ["forbidden", "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })"]
    ] as const)("If the browser's storage is %s, the page keeps what is typed, and logs out", ([, script]) =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, { content: "Before", platforms: both, schedule_at: hoursAhead(40) })
        const text = page.getByRole("textbox", { name: "Text", exact: true })
        yield* Effect.promise(async () => {
          await page.addInitScript(script)
          await openAsDemo(page, url, `/compose?post=${id}`)
          await text.fill("Typed without a storage")
          await page.getByRole("link", { name: "Posts", exact: true }).click()
          await page.getByText(", unsaved changes").first().waitFor({ state: "attached" })
          await page.goBack()
          await page.getByText("What you typed before is back.").waitFor()
          assert.strictEqual(await text.inputValue(), "Typed without a storage")
          const asked = page.waitForEvent("dialog")
          const reloaded = page.reload()
          const question = await asked
          assert.strictEqual(question.type(), "beforeunload")
          await question.accept()
          await reloaded
          await page.getByRole("button", { name: /^You/ }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
          await page.waitForURL("**/login")
        })
      })
    )

    it.effect("A post that somebody else changed meanwhile is shown in both versions, and a person decides", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const body = { content: "The launch is on Tuesday.", platforms: both, schedule_at: hoursAhead(40) }
        const id = yield* createPost(key, body)
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/compose?post=${id}`)
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("The launch is on Friday.")
        })
        yield* changePost(key, id, { content: "The launch is on Wednesday." })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Save", exact: true }).click()
          const dialog = page.getByRole("dialog", { name: "This post has changed since you opened it" })
          await dialog.getByRole("region", { name: "Yours" }).getByText("The launch is on Friday.").waitFor()
          await dialog
            .getByRole("region", { name: /^Saved by / })
            .getByText("The launch is on Wednesday.")
            .waitFor()
          await dialog.getByRole("button", { name: "Keep mine" }).click()
        })
        assert.strictEqual((yield* getPost(key, id)).content, "The launch is on Wednesday.")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
        })
        assert.strictEqual((yield* getPost(key, id)).content, "The launch is on Friday.")
      })
    )

    it.effect("What somebody else has written and a person takes over is not kept as if that person had typed it", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, { content: "Before", platforms: both, schedule_at: hoursAhead(40) })
        const text = page.getByRole("textbox", { name: "Text", exact: true })
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/compose?post=${id}`)
          await text.fill("Mine")
        })
        yield* changePost(key, id, { content: "Theirs" })
        const [taken, kept] = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByRole("button", { name: "Take theirs" }).click()
          await page.getByRole("dialog").waitFor({ state: "detached" })
          const value = await text.inputValue()
          return [value, await page.evaluate(`Object.keys(localStorage).filter((name) => name.includes("${id}"))`)]
        })
        assert.strictEqual(taken, "Theirs")
        assert.deepStrictEqual(kept, [])
      })
    )
  })
})
