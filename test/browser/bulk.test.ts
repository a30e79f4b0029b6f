import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost as createBy, deletePost, makeAgentKey, makeViewer } from "./posts.ts"
import { changePost, createPost, getPost } from "./postsApi.ts"

const dayMillis = 24 * 60 * 60_000

/** At noon, in summer and winter far from where clocks change. */
const noonIn = (days: number): string => {
  const time = new Date(Date.now() + days * dayMillis)
  time.setUTCHours(12, 0, 0, 0)
  return time.toISOString()
}

const later = (at: string, days: number) => new Date(Date.parse(at) + days * dayMillis).toISOString()

/** Posts for days to come, which a tag tells from those of other tests. */
const createMany = Effect.fnUntraced(function* (tag: string, count: number) {
  const made = []
  for (let index = 0; index < count; index++) {
    made.push(yield* createPost(`${tag} number ${index}`, { schedule_at: noonIn(10 + index), tags: [tag] }))
  }
  return made.map(({ id }) => id)
})

const selectAll = async (page: Page, count: number) => {
  const boxes = page.getByRole("list", { name: "Posts" }).getByRole("checkbox")
  await boxes.nth(count - 1).waitFor()
  await boxes.first().click()
  await boxes.nth(count - 1).click({ modifiers: ["Shift"] })
  await bar(page).getByText(`${count} selected`).waitFor()
}

const bar = (page: Page) => page.getByRole("region", { name: "Selected posts" })
const press = (page: Page, name: string | RegExp) =>
  bar(page)
    .getByRole("button", typeof name === "string" ? { name, exact: true } : { name })
    .click()
const answer = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true }).click()

describe.skipIf(!canRunBrowser)("Many posts at once, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer), { timeout: 60_000 })((it) => {
    it.effect("Posts of the list that are selected with Shift move by days, and Undo moves all of them back", () =>
      Effect.gen(function* () {
        const ids = yield* createMany("moves", 6)
        const before = yield* Effect.forEach(ids, getPost)
        const page = yield* enter("/posts?tag=moves")
        yield* Effect.promise(async () => {
          await selectAll(page, 6)
          await press(page, "Move")
          await page.getByRole("button", { name: "1 week later" }).click()
          await answer(page, "Move 6 posts")
          await page.getByText("Moved 6 posts", { exact: true }).waitFor()
        })
        const moved = yield* Effect.forEach(ids, getPost)
        assert.deepStrictEqual(
          moved.map(({ scheduled_at: at }) => at),
          before.map(({ scheduled_at: at }) => later(at ?? "", 7))
        )
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Undo" }).click()
          await page.getByText("Moved 6 posts back").waitFor()
        })
        const back = yield* Effect.forEach(ids, getPost)
        assert.deepStrictEqual(
          back.map(({ scheduled_at: at }) => at),
          before.map(({ scheduled_at: at }) => at)
        )
      })
    )

    it.effect(
      "What was changed or deleted meanwhile is named with its reason, and can be changed as it is by then",
      () =>
        Effect.gen(function* () {
          const { key } = yield* Dashboard
          const [changed = "", deleted = "", ...rest] = yield* createMany("meanwhile", 5)
          const page = yield* enter("/posts?tag=meanwhile&sort=earliest")
          yield* Effect.promise(() => selectAll(page, 5))
          yield* changePost(changed, { tags: ["meanwhile", "by-another"] })
          yield* deletePost(key, deleted)
          const addTag = () =>
            Effect.promise(async () => {
              await press(page, "Tags")
              await page.getByLabel("A tag to add").fill("launch")
              await answer(page, "Add the tag")
            })
          yield* addTag()
          const dialog = page.getByRole("dialog", { name: "Tagged 3 posts with #launch" })
          const words = yield* Effect.promise(() => dialog.innerText())
          assert.match(
            words,
            /Changed by somebody else meanwhile[^]*meanwhile number 0[^]*Deleted meanwhile[^]*number 1/
          )
          yield* Effect.promise(async () => {
            await dialog.getByRole("button", { name: "Close" }).last().click()
            await bar(page).getByText("4 selected").waitFor()
          })
          yield* addTag()
          yield* Effect.promise(() => page.getByText("Tagged 1 post with #launch").waitFor())
          const { revision } = yield* getPost(changed)
          assert.strictEqual(revision, 3)
          assert.strictEqual((yield* getPost(rest[0] ?? "")).revision, 2)
        })
    )

    it.effect("When the session ends meanwhile, the person logs in and goes on with what was not sent", () =>
      Effect.gen(function* () {
        const ids = yield* createMany("session", 8)
        const page = yield* enter("/posts?tag=session")
        yield* Effect.promise(async () => {
          await selectAll(page, 8)
          await press(page, "Make drafts")
          await page.context().clearCookies()
          await answer(page, "Make drafts")
          await page.getByRole("button", { name: "Continue as demo" }).click()
          const dialog = page.getByRole("dialog", { name: "Nothing was changed" })
          await dialog.getByText("Not sent. Nothing was changed here.").waitFor()
          await dialog.getByRole("button", { name: "Try again with 8" }).click()
          await page.getByText("Made drafts of 8 posts").waitFor()
        })
        const posts = yield* Effect.forEach(ids, getPost)
        assert.deepStrictEqual(new Set(posts.map(({ status }) => status)), new Set(["draft"]))
      })
    )

    it.effect(
      "Offline nothing is lost: what nobody confirmed is sent again on request, and what has no answer can be stopped",
      () =>
        Effect.gen(function* () {
          const ids = yield* createMany("offline", 12)
          const page = yield* enter("/posts?tag=offline")
          yield* Effect.promise(async () => {
            await selectAll(page, 12)
            await page.route("**/v1/posts/*", (route) =>
              route.request().method() === "PATCH" ? route.abort() : route.continue()
            )
            await press(page, "Make drafts")
            await answer(page, "Make drafts")
            await page.getByRole("dialog").getByText("Nobody confirmed these").waitFor()
            await page.unroute("**/v1/posts/*")
            // Four have no answer: the progress says how many have one.
            const released = Promise.withResolvers<void>()
            let held = 0
            await page.route("**/v1/posts/*", async (route) => {
              if (route.request().method() === "PATCH" && ++held > 2) await released.promise
              await route.continue()
            })
            await answer(page, "Try again with 12")
            await bar(page).getByText("2 of 12").waitFor()
            await press(page, "Stop")
            released.resolve()
            await page
              .getByRole("dialog", { name: "Made drafts of 6 posts" })
              .getByText("6 posts", { exact: true })
              .waitFor()
          })
          const posts = yield* Effect.forEach(ids, getPost)
          assert.strictEqual(posts.filter(({ status }) => status === "draft").length, 6)
        })
    )

    it.effect(
      "By keyboard posts are selected with X, what the filters leave out stays counted, and Escape selects nothing",
      () =>
        Effect.gen(function* () {
          yield* createMany("keys", 4)
          const page = yield* enter("/posts?tag=keys")
          yield* Effect.promise(async () => {
            await page.getByText("keys number 0").waitFor()
            for (const key of ["j", "x", "j", "j", "Shift+X"]) await page.keyboard.press(key)
            await bar(page).getByText("3 selected").waitFor()
            await page.getByRole("button", { name: "Drafts", exact: true }).click()
            await bar(page).getByText("3 selected, 3 not in this list").waitFor()
            assert.deepStrictEqual(await findFaults(page), [])
            await page.keyboard.press("Escape")
            await bar(page).waitFor({ state: "detached" })
          })
        })
    )

    it.effect("On the calendar posts are selected with Ctrl, Shift and X, and deleted once somebody is sure", () =>
      Effect.gen(function* () {
        const ids = yield* createMany("calendar", 4)
        const page = yield* enter(`/?tag=calendar&view=week&date=${noonIn(10).slice(0, 10)}`)
        const chip = (index: number) => page.getByRole("button", { name: `calendar number ${index}` })
        yield* Effect.promise(async () => {
          await chip(0).click({ modifiers: ["ControlOrMeta"] })
          await bar(page).getByText("1 selected").waitFor()
          await chip(0).focus()
          await page.keyboard.press("x")
          await bar(page).waitFor({ state: "detached" })
          await page.keyboard.press("x")
          await bar(page).getByText("1 selected").waitFor()
          assert.strictEqual(await chip(0).getAttribute("aria-pressed"), "true")
          await press(page, "Delete")
          await answer(page, "Delete")
          await page.getByText("Deleted 1 post", { exact: true }).waitFor()
          await chip(0).waitFor({ state: "detached" })
        })
        const left = yield* Effect.promise(() => page.getByRole("button", { name: /^.*calendar number/ }).count())
        assert.isAtMost(left, ids.length - 1)
      })
    )

    it.effect("By touch the Select mode has a tap select, and many posts are approved at once", () =>
      Effect.gen(function* () {
        const agent = yield* makeAgentKey
        const body = { platforms: ["twitter"], schedule_at: noonIn(3), tags: ["asked"] }
        const ids = yield* Effect.forEach(["Asked one", "Asked two"], (content) =>
          createBy(agent, { ...body, content })
        )
        const page = yield* enter("/posts?tag=asked", { width: 360, touch: true })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Select", exact: true }).tap()
          await page.getByText("Asked one").tap()
          await page.getByText("Asked two").tap()
          await bar(page).getByText("2 selected").waitFor()
          assert.strictEqual(await page.evaluate("document.documentElement.scrollWidth"), 360)
          await press(page, "Approve 2")
          await answer(page, "Approve")
          await page.getByText("Approved 2 posts").waitFor()
        })
        const posts = yield* Effect.forEach(ids, getPost)
        assert.deepStrictEqual(
          posts.map(({ status }) => status),
          ["scheduled", "scheduled"]
        )
      })
    )

    it.effect("A viewer, who can change nothing, is offered no selection", () =>
      Effect.gen(function* () {
        yield* createMany("viewed", 1)
        const viewer = yield* makeViewer
        const { page: open } = yield* Browser
        const { url } = yield* Dashboard
        const page = yield* open()
        yield* Effect.promise(async () => {
          await page.goto(`${url}/login?next=${encodeURIComponent("/posts?tag=viewed")}`)
          await page.getByLabel("Email").fill(viewer.email)
          await page.getByLabel("Password", { exact: true }).fill(viewer.password)
          await page.keyboard.press("Enter")
          await page.getByText("viewed number 0").waitFor()
          await page.keyboard.press("j")
          await page.keyboard.press("x")
          assert.strictEqual(await page.getByRole("checkbox").count(), 0)
          assert.strictEqual(await page.getByRole("button", { name: "Select", exact: true }).count(), 0)
          assert.strictEqual(await bar(page).count(), 0)
        })
      })
    )
  })
})
