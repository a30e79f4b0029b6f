import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { changePost, createPost, deletePost, getPost, hoursAhead, newestPost, widthOf } from "./posts.ts"
import { both, picture } from "./samples.ts"

const textOf = (page: Page, part: number) => page.getByRole("textbox", { name: `Text of part ${part}`, exact: true })

const texts = async (page: Page) => {
  const fields = await page.getByRole("textbox", { name: /^Text/ }).all()
  return Promise.all(fields.map((field) => field.inputValue()))
}

/** The label of the element that has the focus. */
const focused = (page: Page): Promise<unknown> => page.evaluate("document.activeElement.ariaLabel")

const draft = (page: Page) => page.getByRole("heading", { name: "Draft without a time" })

/** Each sentence fits into a post on X, but all sentences together are too long. */
const sentences = Array.from(
  { length: 12 },
  (_, index) => `This is sentence number ${index + 1} of a text that nobody can post at once.`
)

const thread = (...contents: ReadonlyArray<string>) => contents.map((content) => ({ content }))

describe.skipIf(!canRunBrowser)("Writing a thread in the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A thread of five parts is written, put in order and saved by the keyboard alone", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const page = yield* enter("/compose")
        const [order, focus] = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).focus()
          for (const [index, word] of ["One", "Two", "Four", "Three", "Five"].entries()) {
            if (index > 0) await page.keyboard.press("Control+Shift+Enter")
            await page.keyboard.type(word)
          }
          await page.getByRole("button", { name: "Move part 4 up" }).focus()
          await page.keyboard.press("Enter")
          const moved = await focused(page)
          await page.getByText("Part 4 is part 3 now").waitFor()
          await page.keyboard.press("Enter")
          await page.keyboard.press("Enter")
          // The part is at the top, so its button can't move it further and gives the focus to the button next to it.
          const atTop = await focused(page)
          await page.keyboard.press("Enter")
          await page.keyboard.press("Enter")
          const shown = await texts(page)
          await page.getByRole("button", { name: "Save draft" }).focus()
          await page.keyboard.press("Enter")
          await draft(page).waitFor()
          return [shown, [moved, atTop]]
        })
        assert.deepStrictEqual(order, ["One", "Two", "Three", "Four", "Five"])
        assert.deepStrictEqual(focus, ["Move part 3 up", "Move part 1 down"])
        const post = yield* newestPost(key)
        assert.deepStrictEqual(
          [post.content, ...post.thread.map(({ content }) => content)],
          ["One", "Two", "Three", "Four", "Five"]
        )
      })
    )

    it.effect(
      "A part is removed with its button, comes back by Undo, and what begins the thread then is the content",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const id = yield* createPost(key, { content: "One", platforms: both, thread: thread("Two", "Three") })
          const page = yield* enter(`/compose?post=${id}`)
          const [removed, focus, back] = yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Remove part 2" }).click()
            const without = await texts(page)
            const next = await focused(page)
            await page.getByRole("button", { name: "Undo" }).click()
            const whole = await texts(page)
            await page.getByRole("button", { name: "Remove part 1" }).click()
            await page.getByRole("button", { name: "Save draft" }).click()
            await draft(page).waitFor()
            return [without, next, whole]
          })
          assert.deepStrictEqual(
            [removed, back],
            [
              ["One", "Three"],
              ["One", "Two", "Three"]
            ]
          )
          assert.strictEqual(focus, "Text of part 2")
          const { content, thread: parts } = yield* getPost(key, id)
          assert.deepStrictEqual([content, parts.map((part) => part.content)], ["Two", ["Three"]])
        })
    )

    it.effect(
      "A part has files, a text for one platform, and platforms of its own, and is loaded with them to be changed",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const page = yield* enter("/compose")
          const file = yield* picture
          yield* Effect.promise(async () => {
            await page.getByRole("textbox", { name: "Text", exact: true }).fill("One")
            await page.getByRole("button", { name: "Add to thread" }).click()
            await page.keyboard.type("Two")
            await page.getByRole("button", { name: "Add to thread" }).click()
            await page.keyboard.type("Three")
            await page.getByLabel("Pictures or a video of part 2").setInputFiles(file)
            await page.getByLabel("Alt text of picture 1 of part 2").fill("A harbor")
            await page.getByText("Being processed").waitFor({ state: "detached", timeout: 30_000 })
            await page.getByRole("tab", { name: /Bluesky/ }).click()
            await page.getByRole("textbox", { name: "Text of part 2 on Bluesky" }).fill("Two on Bluesky")
            await page.getByRole("button", { name: "Where part 3 goes" }).click()
            await page.getByRole("menuitemradio", { name: "Only on X" }).click()
            await page.getByText("Bluesky does not get this part.").waitFor()
            await page.locator(".preview-bluesky").getByText("Two on Bluesky").waitFor()
            assert.strictEqual(
              await page.locator(".preview-bluesky").getByRole("listitem", { name: /^Part/ }).count(),
              2
            )
            assert.strictEqual(
              await page.locator(".preview-twitter").getByRole("listitem", { name: /^Part/ }).count(),
              3
            )
            await page.getByRole("button", { name: "Save draft" }).click()
            await draft(page).waitFor()
            await page.getByRole("link", { name: "Edit" }).click()
            await page.getByText("Only on X").waitFor()
            await page.getByLabel("Alt text of picture 1 of part 2").fill("A harbor at dawn")
            await textOf(page, 3).fill("Three, changed")
            await page.getByRole("button", { name: "Save draft" }).click()
            await draft(page).waitFor()
          })
          const { thread: parts } = yield* newestPost(key)
          assert.deepStrictEqual(parts, [
            {
              content: "Two",
              platforms: null,
              platform_overrides: { bluesky: "Two on Bluesky" },
              media: [{ alt: "A harbor at dawn" }]
            },
            { content: "Three, changed", platforms: ["twitter"], platform_overrides: {}, media: [] }
          ])
        })
    )

    it.effect("A text that is too long is shown split before it is, with numbers where a person wants them", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const page = yield* enter(`/compose?at=${hoursAhead(30)}`)
        const whole = sentences.join(" ")
        const [before, shown] = yield* Effect.promise(async () => {
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.fill(whole)
          await page.getByRole("button", { name: "Split into a thread" }).click()
          const dialog = page.getByRole("dialog", { name: "Split into a thread" })
          await dialog.getByRole("listitem").first().waitFor()
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await dialog.waitFor({ state: "detached" })
          const kept = await text.inputValue()
          await page.getByRole("button", { name: "Split into a thread" }).click()
          await dialog.getByRole("checkbox", { name: /^Number the parts/ }).check()
          await dialog.getByText(/ 1\/3$/).waitFor()
          const parts = await dialog.locator(".preview-text").allInnerTexts()
          await dialog.getByRole("button", { name: "Use these 3 parts" }).click()
          await page.locator(".preview-twitter").getByRole("listitem", { name: "Part 3 of 3" }).waitFor()
          assert.deepStrictEqual(await texts(page), parts)
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
          return [kept, parts] as const
        })
        assert.strictEqual(before, whole)
        assert.deepStrictEqual(
          shown.map((part) => part.slice(-4)),
          [" 1/3", " 2/3", " 3/3"]
        )
        const post = yield* newestPost(key)
        assert.deepStrictEqual([post.content, ...post.thread.map(({ content }) => content)], shown)
        yield* deletePost(key, post.id)
      })
    )

    it.effect(
      "Parts that were split without numbers are not taken for those that a person then asks for with them",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/compose")
          const [isOffered, taken] = yield* Effect.promise(async () => {
            const numbered = Promise.withResolvers<void>()
            await page.route("**/v1/posts/split", async (route) => {
              if (route.request().postData()?.includes("suffix") === true) await numbered.promise
              await route.continue()
            })
            await page.getByRole("textbox", { name: "Text", exact: true }).fill(sentences.join(" "))
            await page.getByRole("button", { name: "Split into a thread" }).click()
            const take = page.getByRole("dialog").getByRole("button", { name: "Use these 3 parts" })
            await take.waitFor()
            await page.getByRole("checkbox", { name: /^Number the parts/ }).check()
            const offered = await take.isEnabled()
            numbered.resolve()
            await take.click()
            await textOf(page, 3).waitFor()
            return [offered, await texts(page)] as const
          })
          assert.isFalse(isOffered)
          assert.deepStrictEqual(
            taken.map((part) => part.slice(-4)),
            [" 1/3", " 2/3", " 3/3"]
          )
        })
    )

    it.effect("What the service refuses of a part is said at that part", () =>
      Effect.gen(function* () {
        const page = yield* enter(`/compose?at=${hoursAhead(30)}`)
        const part = (number: number) => page.getByRole("listitem", { name: `Part ${number} of 4` })
        yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("One")
          for (const text of ["Two", "x".repeat(285), "One"]) {
            await page.getByRole("button", { name: "Add to thread" }).click()
            await page.keyboard.insertText(text)
          }
          await part(3).getByText("X accepts 280 characters. This is 5 too many.").waitFor()
          await part(3).getByText("X: 5 characters too many", { exact: true }).waitFor()
          await part(4).getByText("X refuses this text: an earlier part has the same.").waitFor()
          await textOf(page, 4).fill("Four")
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByRole("alert").getByText("Part 3 is 5 too many.").waitFor()
          await textOf(page, 3).fill("")
          await part(3).getByText("Write something, or add a picture or video.").waitFor()
          await textOf(page, 3).fill("Three")
          await page.getByRole("button", { name: "Where part 3 goes" }).click()
          await page.getByRole("menuitemradio", { name: "Only on Bluesky" }).click()
          await page.getByRole("button", { name: /^Bluesky @/ }).click()
          await part(3).getByText("The post does not go there any more.").waitFor()
        })
      })
    )

    it.effect("A thread that was typed and not saved is there after a reload", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const kept = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("One")
          await page.getByRole("button", { name: "Add to thread" }).click()
          await page.keyboard.type("Two")
          await page.reload()
          await page.getByText("What you typed before is back.").waitFor()
          return texts(page)
        })
        assert.deepStrictEqual(kept, ["One", "Two"])
      })
    )

    it.effect("What the version before threads has kept of a post does not take the post's thread away", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "One", platforms: both, thread: thread("Two") })
        const page = yield* enter(`/compose?post=${id}`)
        yield* Effect.promise(async () => {
          await textOf(page, 1).fill("One, typed")
          await page.evaluate(`for (const [name, kept] of Object.entries(localStorage)) if (name.endsWith("post:${id}")) {
            const { thread, ...form } = JSON.parse(kept)
            localStorage.setItem(name, JSON.stringify(form))
          }`)
          await page.reload()
          await page.getByText("What you typed before is back.").waitFor()
          await page.getByRole("button", { name: "Save draft" }).click()
          await draft(page).waitFor()
        })
        const { content, thread: parts } = yield* getPost(key, id)
        assert.deepStrictEqual([content, parts.map((part) => part.content)], ["One, typed", ["Two"]])
      })
    )

    it.effect("Of a thread that somebody else changed meanwhile both versions are shown part by part", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "One", platforms: both, thread: thread("Two") })
        const page = yield* enter(`/compose?post=${id}`)
        yield* Effect.promise(() => textOf(page, 2).fill("Two, mine"))
        yield* changePost(key, id, { thread: thread("Two, theirs", "Three") })
        const [theirs, taken] = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Save draft" }).click()
          const version = page.getByRole("dialog").getByRole("region", { name: /^Saved by / })
          const words = await version.innerText()
          await page.getByRole("button", { name: "Take theirs" }).click()
          await textOf(page, 3).waitFor()
          return [words, await texts(page)] as const
        })
        assert.include(theirs.replaceAll(/\n+/g, " "), "Part 2 Two, theirs Part 3 Three")
        assert.deepStrictEqual(taken, ["One", "Two, theirs", "Three"])
      })
    )

    it.effect("Without a connection a text can't be split, and it can once the connection is back", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const parts = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill(sentences.join(" "))
          const button = page.getByRole("button", { name: "Split into a thread" })
          await button.waitFor()
          await page.context().setOffline(true)
          await button.click()
          const dialog = page.getByRole("dialog")
          await dialog.getByText("The service can’t be reached.").waitFor()
          await page.context().setOffline(false)
          await dialog.getByRole("button", { name: "Try again" }).click()
          await dialog.getByRole("button", { name: "Use these 3 parts" }).click()
          return texts(page)
        })
        assert.deepStrictEqual(parts.join(" "), sentences.join(" "))
      })
    )

    it.effect("A thread takes no more than 25 parts, and they fit a phone", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
        const parts = Array.from({ length: 23 }, (_, index) => `${long} ${index}`)
        const id = yield* createPost(key, { content: "One", platforms: both, thread: thread(...parts) })
        const page = yield* enter(`/compose?post=${id}`, { width: 360, touch: true })
        const width = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Add to thread" }).click()
          await page.getByText("A thread has 25 parts at most").waitFor()
          assert.isTrue(await page.getByRole("button", { name: "Add to thread" }).isDisabled())
          assert.strictEqual(await focused(page), "Text of part 25")
          return widthOf(page)
        })
        assert.strictEqual(width, 360)
      })
    )

    it.effect("axe finds nothing on a thread that is written, nor on its split, in both color schemes", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose")
        const faults = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("One")
          await page.getByRole("button", { name: "Add to thread" }).click()
          await page.keyboard.insertText(sentences.join(" "))
          await page.getByRole("button", { name: "Where part 2 goes" }).click()
          await page.getByRole("menuitemradio", { name: "Only on X" }).click()
          await page.getByText("X accepts 280 characters.").waitFor()
          const form = await findFaultsInBothSchemes(page)
          await page.getByRole("button", { name: "Split into parts" }).click()
          await page.getByRole("dialog").getByRole("listitem").first().waitFor()
          return [...form, ...(await findFaultsInBothSchemes(page))]
        })
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
