import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page, Route } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter, openAsDemo } from "./enter.ts"
import { changePost, createPost, deletePost, getPost, hoursAhead, newestPost } from "./posts.ts"
import { routeOnce } from "./routes.ts"
import { both, picture } from "./samples.ts"

const ownClock = { ownClock: true } as const

const textOf = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true })

/** Types, and lets as much time pass as a draft that saves itself waits for. */
const typeAndWait = async (page: Page, text: string) => {
  await textOf(page).fill(text)
  await page.clock.fastForward(5000)
}

const savedWords = (page: Page) => page.getByText("Saved as a draft", { exact: true })

const idIn = (page: Page) => new URL(page.url()).searchParams.get("post") ?? "none"

const keptIn = (page: Page) => page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('draft:'))")

describe.skipIf(!canRunBrowser)("Drafts that save themselves, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect(
      "A new post is a draft of the service after five seconds, and stays that one while its author types on",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const page = yield* enter("/compose", ownClock)
          yield* Effect.promise(async () => {
            await typeAndWait(page, "Typed on one device")
            await savedWords(page).waitFor()
            await page.waitForURL("**/compose?post=*")
          })
          const first = yield* newestPost(key)
          const kept = yield* Effect.promise(async () => {
            await textOf(page).pressSequentially(" and typed on")
            await page.clock.fastForward(5000)
            await savedWords(page).waitFor()
            return keptIn(page)
          })
          const second = yield* newestPost(key)
          assert.deepStrictEqual(
            [first.content, first.status, second.id, second.content, kept],
            ["Typed on one device", "draft", first.id, "Typed on one device and typed on", []]
          )
          yield* Effect.promise(async () => {
            await page.reload()
            await textOf(page).waitFor()
            assert.strictEqual(await textOf(page).inputValue(), "Typed on one device and typed on")
            assert.strictEqual(await page.getByText("What you typed before is back.").count(), 0)
            await page.getByRole("link", { name: "New post" }).first().click()
            await page.waitForURL("**/compose")
            assert.strictEqual(await textOf(page).inputValue(), "")
          })
        })
    )

    it.effect("Schedule that is pressed during the save by itself makes one post, with what was typed meanwhile", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const page = yield* enter(`/compose?at=${hoursAhead(30)}`, ownClock)
        const before = (yield* newestPost(key)).id
        const created = Promise.withResolvers<Route>()
        yield* Effect.promise(async () => {
          await routeOnce(page, "**/v1/posts", (route) => created.resolve(route))
          await typeAndWait(page, "Begun")
          const route = await created.promise
          await textOf(page).fill("Begun, and finished")
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByText("Scheduled in a moment").waitFor()
          await route.continue()
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
        })
        const post = yield* newestPost(key)
        assert.deepStrictEqual([post.status, post.content], ["scheduled", "Begun, and finished"])
        yield* deletePost(key, post.id)
        assert.strictEqual((yield* newestPost(key)).id, before)
      })
    )

    it.effect(
      "A draft whose creation has no response is not created twice, and then has what was typed meanwhile",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const page = yield* enter("/compose", ownClock)
          yield* Effect.promise(async () => {
            const lost = page.waitForEvent("requestfailed")
            const lose = async (route: Route) => {
              await route.fetch()
              await route.abort()
            }
            await routeOnce(page, "**/v1/posts", lose)
            await typeAndWait(page, "Lost")
            await lost
            await page.getByText("Only in this browser so far").waitFor()
          })
          const lostPost = yield* newestPost(key)
          yield* Effect.promise(async () => {
            await textOf(page).fill("Lost, and found")
            await page.reload()
            await page.getByText("What you typed before is back.").waitFor()
            await page.getByRole("button", { name: "Save draft" }).click()
            await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          })
          const post = yield* newestPost(key)
          assert.deepStrictEqual([lostPost.content, post.id, post.content], ["Lost", lostPost.id, "Lost, and found"])
        })
    )

    it.effect("Without a connection a text stays in the browser, and is saved once the connection is back", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const page = yield* enter("/compose", ownClock)
        yield* Effect.promise(async () => {
          await textOf(page).waitFor()
          await page.context().setOffline(true)
          await typeAndWait(page, "Typed in a tunnel")
          await page.getByText("The service can’t be reached. What you type is kept.").waitFor()
          await page.context().setOffline(false)
          await page.clock.fastForward(5000)
          await page.getByText("The service can’t be reached. What you type is kept.").waitFor({ state: "detached" })
          await page.clock.fastForward(30_000)
          await savedWords(page).waitFor()
        })
        assert.strictEqual((yield* newestPost(key)).content, "Typed in a tunnel")
      })
    )

    it.effect(
      "A draft that somebody else changed is not overwritten: both versions are shown, and a person decides",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const page = yield* enter("/compose", ownClock)
          yield* Effect.promise(async () => {
            await typeAndWait(page, "Mine")
            await savedWords(page).waitFor()
          })
          const id = idIn(page)
          yield* changePost(key, id, { content: "Theirs" })
          const faults = yield* Effect.promise(async () => {
            await typeAndWait(page, "Mine, longer")
            await page.getByText("Somebody else changed this draft meanwhile.").waitFor()
            const found = await findFaults(page)
            await textOf(page).fill("Mine, still longer")
            await page.clock.fastForward(30_000)
            await page.getByRole("button", { name: "Compare the two" }).click()
            return found
          })
          assert.deepStrictEqual(faults, [])
          assert.strictEqual((yield* getPost(key, id)).content, "Theirs")
          yield* Effect.promise(async () => {
            const dialog = page.getByRole("dialog", { name: "This post has changed since you opened it" })
            await dialog
              .getByRole("region", { name: /^Saved by / })
              .getByText("Theirs")
              .waitFor()
            await dialog.getByRole("button", { name: "Keep mine" }).click()
            await page.clock.fastForward(5000)
            await savedWords(page).waitFor()
          })
          assert.strictEqual((yield* getPost(key, id)).content, "Mine, still longer")
        })
    )

    it.effect("A draft that saved itself and is left empty is removed, and one that is left early is saved", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const page = yield* enter("/compose", ownClock)
        const before = (yield* newestPost(key)).id
        yield* Effect.promise(async () => {
          await typeAndWait(page, "No, not that")
          await savedWords(page).waitFor()
          await textOf(page).fill("")
          const removed = page.waitForResponse((response) => response.request().method() === "DELETE")
          await page.getByRole("link", { name: "Posts", exact: true }).click()
          await removed
        })
        assert.strictEqual((yield* newestPost(key)).id, before)
        const kept = yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "New post" }).first().click()
          await textOf(page).fill("Left at once")
          await page.getByRole("link", { name: "Posts", exact: true }).click()
          await savedWords(page).waitFor()
          return keptIn(page)
        })
        assert.deepStrictEqual([(yield* newestPost(key)).content, kept], ["Left at once", []])
      })
    )

    it.effect("A log-out saves nothing as the next person, and asks before it drops what only this browser has", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const page = yield* enter("/compose", ownClock)
        const before = (yield* newestPost(key)).id
        const changes: Array<string> = []
        yield* Effect.promise(async () => {
          await textOf(page).fill("Not yet saved")
          await page.getByRole("button", { name: /^You: / }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
          await page.getByRole("dialog", { name: "Log out without saving?" }).getByText("Stay").click()
          page.on("request", (request) => changes.push(`${request.method()} ${request.url().slice(url.length)}`))
          await page.getByRole("button", { name: /^You: / }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Log out" }).click()
          await page.getByRole("heading", { name: "Log in" }).waitFor()
          await page.clock.fastForward(30_000)
        })
        assert.deepStrictEqual(
          changes.filter((change) => !change.startsWith("GET") && change !== "POST /v1/posts/validate"),
          ["DELETE /v1/session"]
        )
        assert.strictEqual((yield* newestPost(key)).id, before)
      })
    )

    it.effect("A change of a scheduled post that was not saved is marked, and can be continued or discarded", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open(ownClock)
        const id = yield* createPost(key, { content: "Before", platforms: both, schedule_at: hoursAhead(3) })
        const faults = yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/compose?post=${id}`)
          await typeAndWait(page, "Changed")
          await page.getByText("Not saved yet").waitFor()
          await page.getByRole("link", { name: "Posts", exact: true }).click()
          await page.locator(`[data-post="${id}"]`).getByTitle("Unsaved changes").waitFor()
          await page.getByRole("link", { name: "Calendar", exact: true }).click()
          const chip = page.locator(`[data-drag="${id}"]`)
          await chip.getByTitle("Unsaved changes").waitFor()
          await chip.click()
          const note = page.getByRole("note", { name: "Unsaved changes" })
          await note.waitFor()
          const found = await findFaults(page)
          await note.getByRole("link", { name: "Continue" }).click()
          assert.strictEqual(await textOf(page).inputValue(), "Changed")
          await page.goto(`${url}/posts/${id}`)
          await note.getByRole("button", { name: "Discard" }).click()
          await note.waitFor({ state: "detached" })
          assert.deepStrictEqual(await keptIn(page), [])
          return found
        })
        assert.deepStrictEqual(faults, [])
        assert.strictEqual((yield* getPost(key, id)).content, "Before")
      })
    )

    it.effect(
      "Who leaves an unsaved change of a post that goes out within the hour is asked, and stays by default",
      () =>
        Effect.gen(function* () {
          const { key, url } = yield* Dashboard
          const { page: open } = yield* Browser
          const page = yield* open()
          const id = yield* createPost(key, { content: "Before", platforms: both, schedule_at: hoursAhead(0.5) })
          yield* Effect.promise(async () => {
            await openAsDemo(page, url, `/compose?post=${id}`)
            await textOf(page).fill("Changed")
            await page.getByRole("link", { name: "Posts", exact: true }).click()
            const dialog = page.getByRole("dialog", { name: "Leave without saving?" })
            await dialog.getByText(/^The post goes out at .* as it was before/).waitFor()
            await dialog.getByRole("button", { name: "Stay" }).click()
            await textOf(page).fill("Before")
            await page.getByRole("link", { name: "Posts", exact: true }).click()
            await page.waitForURL("**/posts")
          })
        })
    )

    it.effect("Schedule that is pressed while a picture is processed is carried out once that is done", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const page = yield* enter(`/compose?at=${hoursAhead(30)}`)
        const file = yield* picture
        yield* Effect.promise(async () => {
          const { promise: done, resolve: finish } = Promise.withResolvers<void>()
          await page.route("**/v1/media/*", async (route) => {
            await done
            await route.continue()
          })
          await textOf(page).fill("With a picture")
          await page.getByLabel("Pictures or a video").setInputFiles(file)
          await page.getByText("Being processed").waitFor()
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByText("Scheduled as soon as the file is processed").waitFor()
          await page.getByRole("button", { name: "Cancel", exact: true }).click()
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByText("Scheduled as soon as the file is processed").waitFor()
          finish()
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
        })
        assert.strictEqual((yield* newestPost(key)).status, "scheduled")
      })
    )
  })
})
