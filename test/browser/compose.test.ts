import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Route } from "playwright-core"
import sharp from "sharp"
import { findFaults } from "./axe.ts"
import { Browser, canRunBrowser } from "./browser.ts"
import { Dashboard } from "./dashboard.ts"
import { openAsDemo } from "./enter.ts"
import { changePost, createPost, deletePost, getPost, hoursAhead, loseOutcome, newestPost, widthOf } from "./posts.ts"

const both = ["twitter", "bluesky"] as const
const german = "Unsere neue Veröffentlichung ist da. Danke an alle, die geholfen haben! #Sommer"
const japanese = "新しいバージョンを公開しました。 #新機能"

const picture = Effect.promise(async () => ({
  name: "harbor.png",
  mimeType: "image/png",
  buffer: await sharp({ create: { width: 640, height: 360, channels: 3, background: "#f25c54" } })
    .png()
    .toBuffer()
}))

describe.skipIf(!canRunBrowser)("Writing posts in the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer), { timeout: 90_000 })((it) => {
    it.effect("A post with a picture and a text of its own for Bluesky is scheduled for both platforms", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const file = yield* picture
        yield* Effect.promise(async () => {
          // Noon, so that tomorrow stays tomorrow where midnight comes meanwhile.
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

    it.effect("Pictures are pasted and dropped into a post, and take another order by keys and by dragging", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const { buffer } = yield* picture
        const hand = (event: string) => `{
          const bytes = Uint8Array.from(atob("${buffer.toString("base64")}"), (one) => one.charCodeAt(0))
          const data = new DataTransfer()
          data.items.add(new File([bytes], "picture.png", { type: "image/png" }))
          document.querySelector("textarea").dispatchEvent(${event})
        }`
        const altTexts = () =>
          page
            .getByLabel(/^Alt text of picture/)
            .all()
            .then((fields) => Promise.all(fields.map((field) => field.inputValue())))
        const orders = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill(german)
          await page.evaluate(
            hand(`new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })`)
          )
          await page.getByLabel("Alt text of picture 1").fill("Pasted")
          await page.evaluate(hand(`new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })`))
          await page.getByLabel("Alt text of picture 2").fill("Dropped")
          await page.getByRole("button", { name: "Move picture 2 up" }).focus()
          await page.keyboard.press("Enter")
          const byKey = await altTexts()
          await page.locator(".compose-grip").nth(0).dragTo(page.locator(".compose-grip").nth(1))
          const byDrag = await altTexts()
          await page.keyboard.press("Escape")
          await page.getByRole("button", { name: "Move picture 1 down" }).click()
          await page.getByText("Being processed").first().waitFor({ state: "detached", timeout: 30_000 })
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          return [byKey, byDrag]
        })
        assert.deepStrictEqual(orders, [
          ["Dropped", "Pasted"],
          ["Pasted", "Dropped"]
        ])
        assert.deepStrictEqual((yield* newestPost(key)).media, [{ alt: "Dropped" }, { alt: "Pasted" }])
      })
    )

    it.effect("What is typed stays when the session ends meanwhile, and is saved after the next log-in", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Typed while the session ended")
          // Not earlier: any response that it has ended leads to the log-in.
          const endSession = async (route: Route) => {
            const ended = await page.context().request.delete(`${url}/v1/session`, { headers: { origin: url } })
            assert.isTrue(ended.ok())
            await route.continue()
          }
          await page.route("**/v1/posts", endSession, { times: 1 })
          await page.getByRole("button", { name: "Save draft" }).click()
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
        const address = "https://x.com/demo/status/1234567890123456789"
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

    it.effect("A person who sees that a post is not out publishes it again, with what is missing elsewhere", () =>
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
          await page.getByRole("button", { name: "I looked: publish again" }).click()
          await page.getByRole("link", { name: "View on X" }).waitFor()
          await page.getByRole("link", { name: "View on Bluesky" }).waitFor()
          return offered
        })
        assert.strictEqual(missing, 0)
        assert.strictEqual((yield* getPost(key, id)).status, "published")
      })
    )

    it.effect("A scheduled post says that it can't go out where no account is connected", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const id = yield* createPost(key, { content: "To nobody", platforms: both, schedule_at: hoursAhead(40) })
        const disconnect = (status: string | RegExp) =>
          page.route("**/v1/integrations", async (route) => {
            const response = await route.fetch()
            const body = (await response.text()).replace(status, '"status":"needs_reconnect"')
            await route.fulfill({ response, body })
          })
        const offered = yield* Effect.promise(async () => {
          await disconnect('"status":"connected"')
          await openAsDemo(page, url, `/posts/${id}`)
          await page.getByRole("heading", { name: /^Goes out .*, but not on (?:X|Bluesky)$/ }).waitFor()
          const links = await page.getByRole("link", { name: "Reconnect" }).count()
          await page.unroute("**/v1/integrations")
          await disconnect(/"status":"connected"/g)
          await page.reload()
          await page.getByRole("heading", { name: "Not connected: it can’t go out" }).waitFor()
          return [links, await page.getByRole("link", { name: "Reconnect" }).count()]
        })
        yield* deletePost(key, id)
        assert.deepStrictEqual(offered, [1, 2])
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
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("x".repeat(292))
          await page.getByText("X takes 280 characters. This is 12 too many.").waitFor()
          const shown = await page.locator(".ring-over").allInnerTexts()
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByRole("alert").waitFor()
          return [shown.map((text) => text.split("\n")[0]), await widthOf(page)]
        })
        assert.deepStrictEqual(counts, ["-12"])
        assert.strictEqual(width, 360)
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
          await page.getByRole("alert").filter({ hasText: "can't be reached" }).waitFor()
          await page.context().setOffline(false)
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
        })
        assert.strictEqual((yield* newestPost(key)).content, "Typed before the connection was cut")
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
          const dialog = page.getByRole("dialog", { name: "This post was changed meanwhile" })
          await dialog.getByRole("region", { name: "Yours" }).getByText("The launch is on Friday.").waitFor()
          await dialog
            .getByRole("region", { name: "Saved by somebody else" })
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
          await page.getByRole("alert").filter({ hasText: "can't be reached" }).waitFor()
          await page.unroute("**/v1/posts")
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

    it.effect("A post is not sent without a file whose upload has failed", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const file = yield* picture
        const sent: Array<string> = []
        page.on("request", (request) => {
          if (request.method() === "POST" && request.url() === `${url}/v1/posts`) sent.push(request.url())
        })
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("With a picture")
          await page.route("**/v1/media", (route) => route.abort())
          await page.getByLabel("Pictures or a video").setInputFiles(file)
          await page.getByRole("button", { name: "Try again" }).waitFor()
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByText("A file could not be uploaded. Try it again, or remove it.").waitFor()
        })
        assert.deepStrictEqual(sent, [])
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

    it.effect("What was typed for a post that went out or was deleted meanwhile can still be read", () =>
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
      })
    )

    it.effect("A file on its way to the service is not lost without a question when a person leaves", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const file = yield* picture
        const held = Promise.withResolvers<undefined>()
        const question = page.getByRole("dialog", { name: "Leave while a file is being uploaded?" })
        const asked: Array<string> = []
        page.on("dialog", (dialog) => {
          asked.push(dialog.type())
          void dialog.accept()
        })
        const addresses = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/posts")
          await page.getByRole("link", { name: "New post" }).first().click()
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("With a picture on its way")
          await page.route("**/v1/media", async (route) => {
            await held.promise
            await route.continue()
          })
          const upload = page.waitForRequest("**/v1/media")
          await page.getByLabel("Pictures or a video").setInputFiles(file)
          await upload
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Calendar" }).click()
          await question.getByRole("button", { name: "Cancel" }).click()
          const afterLink = page.url()
          await page.goBack()
          await question.getByRole("button", { name: "Cancel" }).click()
          await question.waitFor({ state: "detached" })
          const afterBack = page.url()
          // A log-out that fails leaves the page, the upload and its guard as they were.
          await page.route("**/v1/session", (route) => route.abort())
          await page.getByRole("button", { name: /^You: / }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
          await question.getByRole("button", { name: "Leave" }).click()
          await question.waitFor({ state: "detached" })
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Calendar" }).click()
          await question.getByRole("button", { name: "Cancel" }).click()
          await question.waitFor({ state: "detached" })
          await page.unroute("**/v1/session")
          await page.reload()
          await page.getByText("What you typed before is back.").waitFor()
          return [afterLink, afterBack]
        })
        assert.deepStrictEqual([addresses, asked], [[`${url}/compose`, `${url}/compose`], ["beforeunload"]])
        yield* Effect.promise(async () => {
          const upload = page.waitForRequest("**/v1/media")
          await page.getByLabel("Pictures or a video").setInputFiles(file)
          await upload
          await page.goBack()
          await question.getByRole("button", { name: "Leave" }).click()
          await page.waitForURL(`${url}/posts`)
          await page.getByRole("heading", { level: 1, name: "Posts" }).waitFor()
          held.resolve(undefined)
          await page.getByRole("link", { name: "New post" }).first().click()
          await page.getByText("What you typed before is back.").waitFor()
          const uploaded = page.waitForResponse("**/v1/media")
          await page.getByLabel("Pictures or a video").setInputFiles(file)
          await uploaded
          await page.getByLabel("Alt text of picture 1").waitFor()
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Calendar" }).click()
          await page.waitForURL(`${url}/`)
        })
        assert.deepStrictEqual([asked, yield* Effect.promise(() => question.count())], [["beforeunload"], 0])
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
          await first.waitForFunction("navigator.locks.query().then(({ held }) => held.length === 2)")
          const third = await first.context().newPage()
          await third.goto(`${url}/compose`)
          return [ofSecond.value, ofCopy.value, ...reloaded, (await textIn(third)).value]
        })
        assert.deepStrictEqual(values, ["", "", "Of the first tab", "Of the second tab", "Of the second tab"])
      })
    )

    it.effect.each(["light", "dark"] as const)(
      "axe finds nothing on compose and a post in a %s scheme",
      (colorScheme) =>
        Effect.gen(function* () {
          const { key, url } = yield* Dashboard
          const { page: open } = yield* Browser
          const page = yield* open({ colorScheme })
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
            const composing = await findFaults(page)
            await page.goto(`${url}/posts/${id}`)
            await page.getByText("Created by").waitFor()
            return [...composing, ...(await findFaults(page))]
          })
          assert.deepStrictEqual(faults, [])
        })
    )
  })
})
