import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import sharp from "sharp"
import { findFaults } from "./axe.ts"
import { Browser, canRunBrowser } from "./browser.ts"
import { Dashboard } from "./dashboard.ts"
import { openAsDemo } from "./enter.ts"
import { changePost, createPost, getPost, hoursAhead, newestPost, widthOf } from "./posts.ts"

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
