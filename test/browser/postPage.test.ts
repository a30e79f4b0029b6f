import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults, findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter, openAsDemo } from "./enter.ts"
import { createPost, deletePost, getPost, hoursAhead, loseOutcome, processOnX } from "./posts.ts"
import { both } from "./samples.ts"

describe.skipIf(!canRunBrowser)("The page of a post, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("It says that a platform is processing the post, and that one has not told where it is", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "A video",
          platforms: ["twitter", "bluesky"],
          schedule_at: hoursAhead(1)
        })
        yield* processOnX(id)
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByText("X began to process this 5 min ago, and publishes it when that is done.").waitFor()
          await page.getByText("Published just now, at an address that Bluesky has not reported").waitFor()
        })
        assert.deepStrictEqual(yield* Effect.promise(() => findFaults(page)), [])
      })
    )

    it.effect("A person who sees that a post is out says so, with its address", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, {
          content: "Is it out?",
          platforms: ["twitter"],
          schedule_at: hoursAhead(40)
        })
        yield* loseOutcome(id)
        const address = `${url}/sandbox/twitter/demo/status/3234567890123456789`
        const link = yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/posts/${id}`)
          await page.getByText("X did not confirm this post. Look at @demo").waitFor()
          await page.getByRole("button", { name: "It is out" }).click()
          await page.getByLabel("Address of the post").fill(address)
          await page.getByRole("button", { name: "Mark as published" }).click()
          return page.getByRole("link", { name: "View on X" }).getAttribute("href")
        })
        assert.strictEqual(link, address)
        assert.strictEqual((yield* getPost(key, id)).status, "published")
      })
    )

    it.effect(
      "A person who sees that a post is not out is asked once, publishes it again there, and then elsewhere",
      () =>
        Effect.gen(function* () {
          const { key, url } = yield* Dashboard
          const { page: open } = yield* Browser
          const page = yield* open()
          const id = yield* createPost(key, { content: "Is it out?", platforms: both, schedule_at: hoursAhead(40) })
          yield* loseOutcome(id)
          const missing = yield* Effect.promise(async () => {
            await openAsDemo(page, url, `/posts/${id}`)
            await page.getByText("X did not confirm this post. Look at @demo").waitFor()
            const offered = await page.getByRole("button", { name: "Publish what is missing" }).count()
            const calls: Array<string> = []
            page.on("request", (request) => {
              if (request.method() === "POST") calls.push(new URL(request.url()).pathname.replace(/^.*\//, ""))
            })
            const primary = page.locator(".post-steps .button-primary")
            const main = await primary.allTextContents()
            await page.getByRole("button", { name: "I looked: publish again" }).click()
            const dialog = page.getByRole("dialog")
            await dialog.getByText("Is it out?", { exact: true }).waitFor()
            await dialog.getByText(/^X did not confirm it \(.*people see it twice/).waitFor()
            await dialog.getByRole("button", { name: "It isn’t there: publish again" }).click()
            await page.getByRole("link", { name: "View on X" }).waitFor()
            const again = [...calls]
            await page.getByRole("button", { name: "Publish what is missing" }).click()
            await page.getByRole("dialog").getByRole("button", { name: "Publish now" }).click()
            await page.getByRole("link", { name: "View on Bluesky" }).waitFor()
            return { again, main, offered }
          })
          assert.deepStrictEqual(missing, { offered: 0, main: ["Look at @demo"], again: ["resolve"] })
          assert.strictEqual((yield* getPost(key, id)).status, "published")
        })
    )

    it.effect("A scheduled post says that it can't go out where no account is connected", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, { content: "To nobody", platforms: both, schedule_at: hoursAhead(40) })
        // One route for the whole test: removing a route lets go of a request that its handler has not answered yet.
        let connected: string | RegExp = '"status":"connected"'
        const offered = yield* Effect.promise(async () => {
          await page.route("**/v1/integrations", async (route) => {
            const response = await route.fetch()
            const body = (await response.text()).replace(connected, '"status":"needs_reconnect"')
            await route.fulfill({ response, body })
          })
          await openAsDemo(page, url, `/posts/${id}`)
          await page.getByRole("heading", { name: /^Goes out .*, but not on (?:X|Bluesky)$/ }).waitFor()
          const links = await page.getByRole("link", { name: "Reconnect" }).count()
          connected = /"status":"connected"/g
          await page.reload()
          await page.getByRole("heading", { name: "Not connected: it can’t go out" }).waitFor()
          return [links, await page.getByRole("link", { name: "Reconnect" }).count()]
        })
        yield* deletePost(key, id)
        assert.deepStrictEqual(offered, [1, 2])
      })
    )

    it.effect("Until the accounts are known neither a post's page nor the editor says that there are none", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, { content: "From somebody", platforms: both, schedule_at: hoursAhead(40) })
        const said = yield* Effect.promise(async () => {
          await page.route("**/v1/integrations", () => {
            // Never responds, as on a slow connection.
          })
          await openAsDemo(page, url, `/posts/${id}`)
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
          const onPage = await page.getByText(/not connected|no account/i).count()
          await page.getByRole("link", { name: "Edit" }).click()
          await page.getByRole("textbox", { name: "Text", exact: true }).waitFor()
          return [onPage, await page.getByText(/not connected|no account/i).count()]
        })
        yield* deletePost(key, id)
        assert.deepStrictEqual(said, [0, 0])
      })
    )

    it.effect("Everybody can use the page of a post that is gone, in both color schemes", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const faults = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/posts/01990000-0000-7000-8000-000000000000")
          await page.getByRole("heading", { name: "There is no such post" }).waitFor()
          return findFaultsInBothSchemes(page)
        })
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
