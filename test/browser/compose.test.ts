import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { openAsDemo } from "./enter.ts"
import { createPost, hoursAhead, newestPost, widthOf } from "./posts.ts"
import { both, german, picture } from "./samples.ts"

const japanese = "新しいバージョンを公開しました。 #新機能"

describe.skipIf(!canRunBrowser)("Writing posts in the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A time that can't be read says what can, and a time that is not set is forgotten with its dialog", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Soon")
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Day").fill(hoursAhead(72).slice(0, 10))
          await dialog.getByLabel("Time", { exact: true }).fill("25:00")
          await dialog.getByText(/^A time such as /).waitFor()
          await dialog.getByLabel("Time", { exact: true }).fill("10:00")
          await dialog.getByText(/^A time such as /).waitFor({ state: "detached" })
          await dialog.getByRole("button", { name: "Close" }).click()
          await dialog.waitFor({ state: "detached" })
          assert.strictEqual(await page.getByRole("button", { name: "Remove the time" }).count(), 0)
        })
      })
    )

    it.effect("Enter in the field of the time schedules the post", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Scheduled by Enter")
          await page.keyboard.press("Control+Enter")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Day").fill(hoursAhead(72).slice(0, 10))
          await dialog.getByLabel("Time", { exact: true }).fill("10:00")
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
        })
        const post = yield* newestPost(key)
        assert.deepStrictEqual([post.status, post.content], ["scheduled", "Scheduled by Enter"])
      })
    )

    it.effect("A post with a picture and a text of its own for Bluesky is scheduled for both platforms", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const file = yield* picture
        yield* Effect.promise(async () => {
          // The clock is set to noon, so that tomorrow is the same day even if midnight passes during the test.
          await page.clock.setFixedTime(`${hoursAhead(0).slice(0, 10)}T11:00:00Z`)
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill(german)
          await page.getByLabel("Pictures or a video").setInputFiles(file)
          await page.getByLabel("Alt text of picture 1").fill("Ein Hafen am Morgen")
          await page.getByText("Missing").waitFor({ state: "detached" })
          await page.getByRole("tab", { name: /Bluesky/ }).click()
          await page.getByLabel("Text on Bluesky").fill(japanese)
          await page.getByText("Only Bluesky gets this text.").waitFor()
          await page.getByText("Being processed").waitFor({ state: "detached", timeout: 30_000 })
          await page.keyboard.press("Control+Enter")
          await page.getByRole("button", { name: "Tomorrow 9:00" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByRole("heading", { name: "Goes out tomorrow 09:00" }).waitFor()
        })
        const post = yield* newestPost(key)
        assert.deepStrictEqual(
          [post.status, post.content, post.platform_overrides, post.media],
          ["scheduled", german, { bluesky: japanese }, [{ alt: "Ein Hafen am Morgen" }]]
        )
      })
    )

    it.effect("After saving a person is where they came from, and sees the post from there", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const addresses = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/posts?status=draft")
          await page.getByRole("link", { name: "New post" }).first().click()
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Back to the list")
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.waitForURL("**/posts?status=draft")
          const back = page.url()
          await page.getByRole("button", { name: "See it" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          return [back, new URL(page.url()).pathname.replace(/[^/]+$/, "")]
        })
        assert.deepStrictEqual(addresses, [`${url}/posts?status=draft`, "/posts/"])
      })
    )

    it.effect("A pasted list of tags becomes as many tags, up to the most that a post can have", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open({ width: 390 })
        const width = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill(`${"x".repeat(200)} example.com`)
          await page.evaluate(`{
            const data = new DataTransfer()
            data.setData("text/plain", Array.from({ length: 300 }, (_, index) => "tag " + index).join("\\n"))
            document.querySelector(".compose-tag-input").dispatchEvent(
              new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
            )
          }`)
          await page.getByText("A post has at most 50 tags. These 250 are left.").waitFor()
          await page.getByText("About $0.20: 1 post on X with a link").waitFor()
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("list", { name: "Messages" }).getByText("A post has at most 50 tags").waitFor()
          await page.getByRole("textbox", { name: "Tags" }).fill("")
          const shown = await widthOf(page)
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          return [shown, await widthOf(page)]
        })
        assert.deepStrictEqual(width, [390, 390])
        assert.lengthOf((yield* newestPost(key)).tags, 50)
      })
    )

    it.effect("A platform's own text is dropped by Same as all", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill(german)
          await page.getByRole("tab", { name: /^X/ }).click()
          await page.getByLabel("Text on X").fill("Only for X")
          await page.getByRole("button", { name: "Same as all" }).click()
          assert.strictEqual(await page.getByLabel("Text on X").inputValue(), german)
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
        })
        assert.deepStrictEqual((yield* newestPost(key)).platform_overrides, {})
      })
    )

    it.effect("A text that is too long for X is refused, and says by how much", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open({ colorScheme: "dark", width: 360, touch: true })
        const [counts, width] = yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/compose?at=${hoursAhead(30)}`)
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.fill("x".repeat(279))
          await page.getByText("X: 1 character left", { exact: true }).waitFor()
          await text.fill("x".repeat(281))
          await page.getByText("X: 1 character too many", { exact: true }).waitFor()
          await text.fill("x".repeat(292))
          await page.getByText("X accepts 280 characters. This is 12 too many.").waitFor()
          const shown = await page.locator(".ring-over").allInnerTexts()
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByRole("alert").waitFor()
          return [shown.map((text) => text.split("\n")[0]), await widthOf(page)]
        })
        assert.deepStrictEqual(counts, ["-12"])
        assert.strictEqual(width, 360)
      })
    )

    it.effect("While a post is being saved nothing is taken into fields that it would not contain", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const held = Promise.withResolvers<undefined>()
        const typed = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.fill("Whole")
          await page.route("**/v1/posts", async (route) => {
            await held.promise
            await route.continue()
          })
          await page.getByRole("button", { name: "Save draft" }).click()
          await text.click()
          await page.keyboard.type(" and more")
          const shown = await text.inputValue()
          held.resolve(undefined)
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          return shown
        })
        assert.deepStrictEqual([typed, (yield* newestPost(key)).content], ["Whole", "Whole"])
      })
    )

    it.effect("Publish now goes by the service's clock where the browser's is half an hour fast", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const content = "Out at once"
        yield* Effect.promise(async () => {
          await page.clock.setFixedTime(hoursAhead(0.5))
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill(content)
          await page.getByRole("button", { name: "Publish now" }).click()
          const sent = page.waitForRequest(
            (request) => request.method() === "POST" && request.url().endsWith("/v1/posts")
          )
          await page.getByRole("dialog").getByRole("button", { name: "Publish now" }).click()
          assert.isBelow(
            Date.parse(/"schedule_at":"([^"]+)"/.exec((await sent).postData() ?? "")?.[1] ?? ""),
            Date.parse(hoursAhead(0.1))
          )
        })
      })
    )

    it.effect("A tag that is typed and not ended is saved with the post", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const body = yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/compose?at=${hoursAhead(30)}`)
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("With a tag")
          await page.getByLabel("Tags").fill("release")
          const sent = page.waitForRequest(
            (request) => request.method() === "POST" && request.url().endsWith("/v1/posts")
          )
          await page.keyboard.press("Control+Enter")
          return (await sent).postData()
        })
        assert.include(body, '"tags":["release"]')
      })
    )

    it.effect("What is wrong with a text is said without a time, also where the browser's clock is hours behind", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const message = page.getByText("This is 12 too many.")
        yield* Effect.promise(async () => {
          await page.clock.setFixedTime(hoursAhead(-3))
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("x".repeat(292))
          await message.waitFor()
        })
        assert.isTrue(yield* Effect.promise(() => message.isVisible()))
      })
    )

    it.effect("axe finds nothing on compose and a post, in both color schemes", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, {
          content: german,
          platforms: both,
          schedule_at: hoursAhead(40),
          tags: ["a"]
        })
        const faults = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("x".repeat(292))
          await page.getByText("This is 12 too many.").waitFor()
          const composing = await findFaultsInBothSchemes(page)
          await page.goto(`${url}/posts/${id}`)
          await page.getByText(/ created it$/).waitFor()
          return [...composing, ...(await findFaultsInBothSchemes(page))]
        })
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
