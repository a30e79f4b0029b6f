import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost, deletePost, getPost, hoursAhead, loseOutcome, newestPost, refuseOnX, widthOf } from "./posts.ts"
import { both } from "./samples.ts"

const text = (page: Page) => page.getByRole("textbox", { name: "Text", exact: true })

/** Waits until the composer shows a copy, and returns its text. */
const openedCopy = async (page: Page) => {
  await page.getByRole("heading", { name: "Edit post" }).waitFor()
  return text(page).inputValue()
}

const platformsOf = (post: { readonly post_targets: ReadonlyArray<{ readonly integrations: { platform: string } }> }) =>
  post.post_targets.map(({ integrations }) => integrations.platform)

describe.skipIf(!canRunBrowser)("Copies of posts, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A post is duplicated by the button and the key of its page, which the keyboard's help lists", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "Again, please", platforms: both, schedule_at: hoursAhead(40) })
        const page = yield* enter(`/posts/${id}`)
        const listed = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Duplicate" }).click()
          assert.strictEqual(await openedCopy(page), "Again, please")
          await page.getByText("This is the copy, a draft").waitFor()
          await page.goBack()
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
          await page.keyboard.press("?")
          const help = await page.getByRole("dialog").innerText()
          await page.keyboard.press("Escape")
          await page.keyboard.press("c")
          assert.strictEqual(await openedCopy(page), "Again, please")
          return help
        })
        assert.include(listed, "Duplicate the post")
        const copy = yield* newestPost(key)
        assert.deepStrictEqual([copy.status, copy.copied_from, platformsOf(copy)], ["draft", id, both])
        yield* deletePost(key, id)
      })
    )

    it.effect("A post on the calendar is duplicated from its menu, by mouse and by keyboard, and by the key", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const day = hoursAhead(24 * 9).slice(0, 10)
        const schedule_at = `${day}T11:00:00Z`
        const id = yield* createPost(key, { content: "From the calendar", platforms: both, schedule_at })
        const path = `/?date=${day}`
        const page = yield* enter(path)
        const chip = page.getByRole("button", { name: /From the calendar Scheduled$/ })
        const menu = page.getByRole("menu", { name: "Post" })
        const faults = yield* Effect.promise(async () => {
          await chip.click({ button: "right" })
          await menu.waitFor()
          const found = await findFaults(page)
          await page.keyboard.press("Escape")
          await menu.waitFor({ state: "detached" })
          await chip.click({ button: "right" })
          await menu.getByRole("menuitem", { name: "Duplicate" }).click()
          assert.strictEqual(await openedCopy(page), "From the calendar")
          await page.goto(new URL(path, page.url()).href)
          await chip.focus()
          await page.keyboard.press("ContextMenu")
          await menu.waitFor()
          await page.keyboard.press("End")
          await page.keyboard.press("Enter")
          assert.strictEqual(await openedCopy(page), "From the calendar")
          await page.goto(new URL(path, page.url()).href)
          await chip.focus()
          await page.keyboard.press("c")
          assert.strictEqual(await openedCopy(page), "From the calendar")
          return found
        })
        assert.deepStrictEqual(faults, [])
        assert.strictEqual((yield* newestPost(key)).copied_from, id)
        yield* deletePost(key, id)
      })
    )

    it.effect("What X refused is copied to a draft for X alone, and its post then leads to the copy", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "Half out", platforms: both, schedule_at: hoursAhead(40) })
        yield* refuseOnX(id)
        const page = yield* enter(`/posts/${id}`, { colorScheme: "dark", width: 360, touch: true })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Copy what is missing to a draft" }).click()
          assert.strictEqual(await openedCopy(page), "Half out")
        })
        const copy = yield* newestPost(key)
        assert.deepStrictEqual([copy.copied_from, platformsOf(copy)], [id, ["twitter"]])
        const original = yield* getPost(key, id)
        assert.deepStrictEqual(
          original.post_targets.map(({ copied_to }) => copied_to),
          [copy.id, null]
        )
        const [width, faults] = yield* Effect.promise(async () => {
          await page.goBack()
          await page.getByText("A copy has taken its place").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Copy what is missing to a draft" }).count(), 0)
          const found = [await widthOf(page), await findFaults(page)] as const
          await page.getByRole("link", { name: "See the copy" }).click()
          await page.getByRole("heading", { name: "Draft without a time" }).waitFor()
          await page.getByRole("link", { name: "another post" }).click()
          await page.getByText("A copy has taken its place").waitFor()
          return found
        })
        assert.deepStrictEqual([width, faults], [360, []])
      })
    )

    it.effect(
      "Where the copy that took a post's place was sent and then deleted, the page says so and leads nowhere",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const id = yield* createPost(key, {
            content: "Sent by its copy",
            platforms: both,
            schedule_at: hoursAhead(40)
          })
          yield* refuseOnX(id)
          const page = yield* enter(`/posts/${id}`)
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Copy what is missing to a draft" }).click()
            await openedCopy(page)
            await page.getByRole("button", { name: "Publish now" }).click()
            await page.getByRole("dialog").getByRole("button", { name: "Publish now" }).click()
            await page.getByRole("heading", { name: /^Published/ }).waitFor()
          })
          yield* deletePost(key, (yield* newestPost(key)).id)
          const faults = yield* Effect.promise(async () => {
            await page.goto(new URL(`/posts/${id}`, page.url()).href)
            await page
              .getByText("A copy took its place, and was deleted here after it was or may have been sent")
              .waitFor()
            await page.getByRole("link", { name: "Look at @demo", exact: true }).waitFor()
            const found = await findFaults(page)
            assert.strictEqual(await page.getByRole("link", { name: "See the copy" }).count(), 0)
            assert.strictEqual(await page.getByRole("button", { name: "Publish what is missing" }).count(), 0)
            await page.getByRole("button", { name: "It isn’t there: copy it to a draft" }).click()
            assert.strictEqual(await openedCopy(page), "Sent by its copy")
            return found
          })
          assert.deepStrictEqual(faults, [])
          assert.deepStrictEqual(platformsOf(yield* newestPost(key)), ["twitter"])
        })
    )

    it.effect("A post of which one account was disconnected is duplicated for the other, and a toast says so", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "For one is left", platforms: both, schedule_at: hoursAhead(40) })
        const page = yield* enter("/settings")
        yield* Effect.promise(async () => {
          await page.route("**/v1/integrations", async (route) => {
            const response = await route.fetch()
            const body = (await response.text()).replace('"platform":"twitter"', '"platform":"threads"')
            await route.fulfill({ response, body })
          })
          const accounts = page.waitForResponse("**/v1/integrations")
          await page.goto(new URL(`/posts/${id}`, page.url()).href)
          await (await accounts).finished()
          await page.getByRole("button", { name: "Duplicate" }).click()
          await page.getByText("This is the copy, a draft without X, not connected here").waitFor()
          assert.strictEqual(await openedCopy(page), "For one is left")
        })
        assert.deepStrictEqual(platformsOf(yield* newestPost(key)), ["bluesky"])
      })
    )

    it.effect("Where a post may be out on X, only what is missing elsewhere is copied", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, { content: "Is it out?", platforms: both, schedule_at: hoursAhead(40) })
        yield* loseOutcome(id)
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Copy what is missing to a draft" }).click()
          assert.strictEqual(await openedCopy(page), "Is it out?")
        })
        assert.deepStrictEqual(platformsOf(yield* newestPost(key)), ["bluesky"])
      })
    )

    it.effect("The platforms of a scheduled post are changed where it is edited, and its texts for others stay", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const platform_overrides = { bluesky: "Only there" }
        const body = { content: "For one", platforms: ["twitter"], platform_overrides, schedule_at: hoursAhead(40) }
        const id = yield* createPost(key, body)
        const page = yield* enter(`/compose?post=${id}`)
        const save = page.getByRole("button", { name: /^(?:Save|Schedule)$/ })
        const change = (from: RegExp, to: RegExp) =>
          Effect.promise(async () => {
            await page.getByRole("group", { name: "Platforms" }).getByRole("button", { name: to }).click()
            await page.getByRole("group", { name: "Platforms" }).getByRole("button", { name: from }).click()
            await save.click()
            await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
          })
        yield* change(/^X/, /^Bluesky/)
        const there = yield* getPost(key, id)
        assert.deepStrictEqual([platformsOf(there), there.platform_overrides], [["bluesky"], platform_overrides])
        yield* Effect.promise(() => page.getByRole("link", { name: "Edit" }).click())
        yield* change(/^Bluesky/, /^X/)
        const here = yield* getPost(key, id)
        assert.deepStrictEqual([platformsOf(here), here.platform_overrides], [["twitter"], platform_overrides])
        assert.strictEqual(here.status, "scheduled")
      })
    )
  })
})
