import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { calendar, dayMillis, tuesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { button, delayFrames, onceThere } from "./frames.ts"
import { createPost as createBy, deletePost, makeAgentKey, makeViewer, workspaceOf } from "./posts.ts"
import { changePost, createPost, getPost } from "./postsApi.ts"
import { endRoute } from "./routes.ts"

const later = (at: string, days: number) => new Date(Date.parse(at) + days * dayMillis).toISOString()

/** Creates posts for the coming days. A tag distinguishes them from other tests' posts. */
const createMany = Effect.fnUntraced(function* (tag: string, count: number) {
  const made = []
  for (let index = 0; index < count; index++) {
    made.push(
      yield* createPost(`${tag} number ${index}`, { schedule_at: later(tuesday.toISOString(), index), tags: [tag] })
    )
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
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
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
      "Drafts with a time are scheduled together, what can't be is named, and the others can be taken back",
      () =>
        Effect.gen(function* () {
          const at = (index: number) => later(tuesday.toISOString(), index)
          const body = { tags: ["plans"], status: "draft" }
          const ready = yield* createPost("plans number 0", { ...body, schedule_at: at(0) })
          const timeless = yield* createPost("plans number 1", body)
          const long = yield* createPost("plans ".repeat(60), { ...body, schedule_at: at(1) })
          const page = yield* enter("/posts?tag=plans")
          const words = yield* Effect.promise(async () => {
            await selectAll(page, 3)
            await press(page, "Schedule 2")
            await page.getByRole("dialog").getByText("These have no time. Set one first.").waitFor()
            await answer(page, "Schedule")
            const dialog = page.getByRole("dialog", { name: "Scheduled 1 post" })
            const shown = await dialog.innerText()
            await dialog.getByRole("button", { name: "Undo" }).waitFor()
            return shown
          })
          assert.match(words, /280[^]*plans plans/)
          const statuses = Effect.forEach([ready, timeless, long], ({ id }) =>
            Effect.map(getPost(id), ({ status }) => status)
          )
          assert.deepStrictEqual(yield* statuses, ["scheduled", "draft", "draft"])
          yield* Effect.promise(async () => {
            await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click()
            await page.getByText("Unscheduled 1 post").waitFor()
          })
          assert.deepStrictEqual(yield* statuses, ["draft", "draft", "draft"])
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
            /Somebody else changed them first[^]*meanwhile number 0[^]*Somebody else deleted them first[^]*number 1/
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
          // The bulk action must continue as the logged-in person even if the person continues before the next frame.
          await delayFrames(page)
          await page.reload()
          await selectAll(page, 8)
          await press(page, "Unschedule")
          await page.context().clearCookies()
          await answer(page, "Unschedule")
          await page.getByRole("button", { name: "Continue as demo" }).waitFor()
          const goesOn = onceThere(
            page,
            button("Try again with 8"),
            'const words = found.closest("dialog").textContent; found.click(); return words'
          )
          await page.getByRole("button", { name: "Continue as demo" }).click()
          const words = await goesOn
          assert.match(words, /Nothing was changed[^]*Not sent. Nothing was changed here./)
          await page.getByText("Unscheduled 8 posts").waitFor()
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
            await press(page, "Unschedule")
            await answer(page, "Unschedule")
            await page.getByRole("dialog").getByText("It is not known whether these changes arrived").waitFor()
            await endRoute(page, "**/v1/posts/*")
            // Four requests get no answer, and the progress shows how many have got an answer.
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
              .getByRole("dialog", { name: "Unscheduled 6 posts" })
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
        const page = yield* enter(`${calendar("week")}&tag=calendar`)
        // The side lists planned posts too, in the order of the week.
        const grid = page.getByRole("grid")
        const chip = (index: number) => grid.getByRole("button", { name: `calendar number ${index}` })
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
        const left = yield* Effect.promise(() => grid.getByRole("button", { name: /calendar number/ }).count())
        assert.isAtMost(left, ids.length - 1)
      })
    )

    it.effect("By touch the Select mode has a tap select, and many posts are approved at once", () =>
      Effect.gen(function* () {
        const agent = yield* makeAgentKey
        const body = { platforms: ["twitter"], schedule_at: tuesday.toISOString(), tags: ["asked"] }
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

    it.effect.each([
      {
        way: "has logged in after a log-out",
        toLogIn: async (page: Page) => {
          await page.getByRole("button", { name: /^You: / }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
        }
      },
      {
        way: "has logged in over the session of the first",
        toLogIn: async (page: Page) => {
          await page.evaluate("history.pushState(null, '', '/login'); dispatchEvent(new PopStateEvent('popstate'))")
        }
      }
    ])("A run that waits for the rate limit sends nothing once another person $way", ({ toLogIn, way }) =>
      Effect.gen(function* () {
        const { command, key } = yield* Dashboard
        const tag = `left-${way.length}`
        const other = { email: `${tag}@example.com`, password: "a password of another editor" }
        const workspace = yield* workspaceOf(key)
        yield* command(
          ["user", "create", "--workspace", workspace, "--email", other.email, "--role", "admin"],
          other.password
        )
        const ids = yield* createMany(tag, 8)
        const page = yield* enter(`/posts?tag=${tag}`)
        const sent: Array<string> = []
        yield* Effect.promise(async () => {
          await selectAll(page, 8)
          await page.route("**/v1/posts/*", async (route) => {
            if (route.request().method() !== "DELETE") return route.continue()
            sent.push(route.request().url())
            return sent.length > 2
              ? route.fulfill({
                  status: 429,
                  headers: { ratelimit: '"default";r=0;t=600', "retry-after": "600" },
                  json: { status: 429, code: "rate_limited", detail: "Too many requests" }
                })
              : route.continue()
          })
          await press(page, "Delete")
          await answer(page, "Delete")
          await bar(page).getByText("2 of 8").waitFor()
          await page
            .getByText(/too many requests/i)
            .first()
            .waitFor()
          await bar(page).getByText("Too many requests: continues in 10 minutes").waitFor()
          const before = sent.length
          await toLogIn(page)
          await page.getByLabel("Email").fill(other.email)
          await page.getByLabel("Password", { exact: true }).fill(other.password)
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: `You: ${other.email}` }).waitFor()
          // The response to this request arrives after the responses to all earlier requests.
          await page.evaluate("fetch('/v1/me')")
          assert.strictEqual(sent.length, before)
          assert.strictEqual(await page.getByText(/^Deleted /).count(), 0)
          assert.strictEqual(await bar(page).count(), 0)
        })
        const left = yield* Effect.forEach(ids, (id) => Effect.option(getPost(id)))
        assert.strictEqual(left.filter(Option.isSome).length, 6)
      })
    )

    it.effect(
      "A move whose answer was lost is not made twice, and Undo covers the repetition and what went before",
      () =>
        Effect.gen(function* () {
          const ids = yield* createMany("lost", 3)
          const before = yield* Effect.forEach(ids, getPost)
          const page = yield* enter("/posts?tag=lost&sort=earliest")
          yield* Effect.promise(async () => {
            await selectAll(page, 3)
            await page.route(`**/v1/posts/${ids[1]}`, async (route) => {
              if (route.request().method() !== "PATCH") return route.continue()
              await route.fetch()
              return route.abort()
            })
            await press(page, "Move")
            await page.getByRole("button", { name: "1 week later" }).click()
            await answer(page, "Move 3 posts")
            await page.getByRole("dialog", { name: "Moved 2 posts" }).waitFor()
            await endRoute(page, `**/v1/posts/${ids[1]}`)
            await answer(page, "Try again with 1")
            await page.getByText("Moved 3 posts", { exact: true }).waitFor()
          })
          const moved = yield* Effect.forEach(ids, getPost)
          assert.deepStrictEqual(
            moved.map(({ revision, scheduled_at: at }) => [revision, at]),
            before.map(({ revision, scheduled_at: at }) => [revision + 1, later(at ?? "", 7)])
          )
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Undo" }).click()
            await page.getByText("Moved 3 posts back").waitFor()
          })
          const back = yield* Effect.forEach(ids, getPost)
          assert.deepStrictEqual(
            back.map(({ scheduled_at: at }) => at),
            before.map(({ scheduled_at: at }) => at)
          )
        })
    )

    it.effect("Undo says to wait while another change is under way, and can be had once that is done", () =>
      Effect.gen(function* () {
        yield* createMany("both", 2)
        const page = yield* enter("/posts?tag=both")
        yield* Effect.promise(async () => {
          await selectAll(page, 2)
          await press(page, "Move")
          await answer(page, "Move 2 posts")
          const undo = page.getByRole("button", { name: "Undo" })
          await undo.waitFor()
          const released = Promise.withResolvers<void>()
          await page.route("**/v1/posts/*", async (route) => {
            if (route.request().method() === "PATCH") await released.promise
            await route.continue()
          })
          await press(page, "Unschedule")
          await answer(page, "Unschedule")
          await bar(page).getByText("0 of 2").waitFor()
          await undo.click()
          await page.getByText("Another change is still under way. Undo this once it is done.").waitFor()
          await bar(page).getByText("Unscheduling 2 posts").waitFor()
          released.resolve()
          await page.getByText("Unscheduled 2 posts").waitFor()
          await undo.click()
          await page.getByText("Moved 2 posts back").waitFor()
        })
      })
    )

    it.effect("Escape selects nothing first, and then closes the post that is open beside the calendar", () =>
      Effect.gen(function* () {
        yield* createMany("escape", 1)
        const page = yield* enter(`${calendar("week")}&tag=escape`)
        const chip = page.getByRole("button", { name: "escape number 0" })
        const panel = page.getByRole("complementary", { name: "Post" })
        yield* Effect.promise(async () => {
          await chip.click()
          await panel.waitFor()
          await chip.click({ modifiers: ["ControlOrMeta"] })
          await bar(page).getByText("1 selected").waitFor()
          await page.keyboard.press("Escape")
          await bar(page).waitFor({ state: "detached" })
          await page.keyboard.press("Escape")
          await panel.waitFor({ state: "detached" })
        })
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
