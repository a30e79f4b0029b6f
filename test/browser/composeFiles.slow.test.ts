import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { openAsDemo } from "./enter.ts"
import { createPost, deletePost, newestPost } from "./posts.ts"
import { endRoute } from "./routes.ts"
import { german, picture } from "./samples.ts"

describe.skipIf(!canRunBrowser)("The files of a post, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A file that can't be posted is refused before any of it is sent, without an offer to try again", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const [sent, offers] = yield* Effect.promise(async () => {
          let requests = 0
          await page.route("**/v1/media", (route) => {
            requests += 1
            return route.continue()
          })
          await openAsDemo(page, url, "/compose")
          const files = { name: "plan.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") }
          await page.getByLabel("Pictures or a video").setInputFiles(files)
          await page.getByText("This is a PDF, which can’t be posted.").waitFor()
          return [requests, await page.getByRole("button", { name: "Try again" }).count()]
        })
        assert.deepStrictEqual([sent, offers], [0, 0])
      })
    )

    it.effect("A file that the service has looked at and refused is not offered to be sent again", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const offers = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/compose")
          const files = { name: "photo.png", mimeType: "image/png", buffer: Buffer.from("%PDF-1.7") }
          await page.getByLabel("Pictures or a video").setInputFiles(files)
          await page.getByText("The file is a PDF", { exact: false }).waitFor()
          return page.getByRole("button", { name: "Try again" }).count()
        })
        assert.strictEqual(offers, 0)
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

    it.effect(
      "What was typed for a deleted post is saved with the file that is on its way, and over the post no more",
      () =>
        Effect.gen(function* () {
          const { key, url } = yield* Dashboard
          const { page: open } = yield* Browser
          const page = yield* open()
          const file = yield* picture
          const held = Promise.withResolvers<undefined>()
          const id = yield* createPost(key, { content: "Before", platforms: ["bluesky"] })
          yield* Effect.promise(async () => {
            await openAsDemo(page, url, `/compose?post=${id}`)
            await page.getByRole("textbox", { name: "Text", exact: true }).fill("With a picture on its way")
          })
          yield* deletePost(key, id)
          const sent: Array<string> = []
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Save draft" }).click()
            await page.getByText("The post has been deleted").waitFor()
            page.on("request", (request) => {
              if (request.method() === "PATCH") sent.push(request.url())
            })
            for (const name of ["Save draft", "Publish now", "Schedule"]) {
              assert.isTrue(await page.getByRole("button", { name, exact: true }).isDisabled())
            }
            await page.keyboard.press("Control+Enter")
            await page.route("**/v1/media", async (route) => {
              await held.promise
              await route.continue()
            })
            const upload = page.waitForRequest("**/v1/media")
            await page.getByLabel("Pictures or a video").setInputFiles(file)
            await upload
            await page.getByRole("button", { name: "Save as a new draft" }).click()
            await page.getByText("A file is still being uploaded. Try again when the upload is done.").waitFor()
            held.resolve(undefined)
            await page.getByLabel("Alt text of picture 1").fill("There")
            await page.getByRole("button", { name: "Save as a new draft" }).click()
            await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          })
          assert.deepStrictEqual(sent, [])
          assert.deepStrictEqual((yield* newestPost(key)).media, [{ alt: "There" }])
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
          await question.getByRole("button", { name: "Stay" }).click()
          const afterLink = page.url()
          await page.goBack()
          await question.getByRole("button", { name: "Stay" }).click()
          await question.waitFor({ state: "detached" })
          const afterBack = page.url()
          // A failed log-out changes neither the page, nor the upload, nor the question before leaving.
          await page.route("**/v1/session", (route) => route.abort())
          await page.getByRole("button", { name: /^You: / }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
          await question.getByRole("button", { name: "Leave" }).click()
          await page
            .getByRole("dialog", { name: "Log out without saving?" })
            .getByRole("button", { name: "Log out" })
            .click()
          await page.getByRole("dialog").waitFor({ state: "detached" })
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Calendar" }).click()
          await question.getByRole("button", { name: "Stay" }).click()
          await question.waitFor({ state: "detached" })
          await endRoute(page, "**/v1/session")
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
  })
})
