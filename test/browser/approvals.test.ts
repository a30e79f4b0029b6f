import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { openAsDemo } from "./enter.ts"
import {
  approvePost,
  changePost,
  createPost,
  deletePost,
  getPost,
  hoursAhead,
  makeAgentKey,
  makeViewer,
  rejectPost,
  pressTogether,
  tabTo,
  widthOf
} from "./posts.ts"
import { both } from "./samples.ts"

describe.skipIf(!canRunBrowser)("Approvals in the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A person sees exactly what an agent asks to send and what changed, and approves it by key", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open()
        const id = yield* createPost(agent, {
          content: "The launch is on Tuesday.",
          platforms: both,
          platform_overrides: { bluesky: "It launches!" },
          schedule_at: hoursAhead(30)
        })
        yield* changePost(agent, id, { content: "The launch is on Friday.", status: "scheduled" })
        const faults = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/approvals")
          const card = page.getByRole("article", { name: "Post by Release agent" })
          await card.locator(".preview-twitter").getByText("The launch is on Friday.").waitFor()
          await card.locator(".preview-bluesky").getByText("It launches!").waitFor()
          const changes = card.getByRole("region", { name: "Changed since the last request" })
          assert.deepStrictEqual(
            [await changes.locator("del").allInnerTexts(), await changes.locator("ins").allInnerTexts()],
            [["Tuesday"], ["Friday"]]
          )
          const found = await findFaults(page)
          await page.keyboard.press("a")
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
          return found
        })
        assert.deepStrictEqual(faults, [])
        const { content, status } = yield* getPost(key, id)
        assert.deepStrictEqual([status, content], ["scheduled", "The launch is on Friday."])
      })
    )

    it.effect(
      "What looks the same on both platforms is shown once, and the decision stays in view below a long thread",
      () =>
        Effect.gen(function* () {
          const { key, url } = yield* Dashboard
          const { page: open } = yield* Browser
          const agent = yield* makeAgentKey
          const page = yield* open({ height: 600 })
          const id = yield* createPost(agent, {
            content: "A long thread begins.",
            platforms: both,
            schedule_at: hoursAhead(30),
            thread: Array.from({ length: 12 }, (_, index) => ({ content: `What follows, part ${index + 2}` }))
          })
          const seen = yield* Effect.promise(async () => {
            await openAsDemo(page, url, "/approvals")
            const card = page.getByRole("article", { name: "Post by Release agent" })
            await card.getByText(/^The same on X \(@.+\) and Bluesky \(@.+\)$/).waitFor()
            const found: Array<boolean> = []
            for (const name of ["Approve", "Another time", "Reject"]) {
              const box = await card.getByRole("button", { name, exact: true }).boundingBox()
              found.push(box !== null && box.y + box.height <= 600)
            }
            const previews = await card.locator(".preview").count()
            await page.goto(`${url}/?post=${id}`)
            const panel = page.getByRole("complementary", { name: "Post" })
            await panel.getByText(/^The same on X/).waitFor()
            await panel.evaluate((element) => element.scrollTo(0, 10_000))
            const approve = await panel.getByRole("button", { name: "Approve", exact: true }).boundingBox()
            return [previews, ...found, approve !== null && approve.y > 0]
          })
          yield* deletePost(key, id)
          assert.deepStrictEqual(seen, [1, true, true, true, true])
        })
    )

    it.effect("Approval is refused when the post changed meanwhile, and decided again on what it has become", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open()
        const id = yield* createPost(agent, {
          content: "What the person reads.",
          platforms: both,
          schedule_at: hoursAhead(30)
        })
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/approvals")
          await page.getByText("What the person reads.").first().waitFor()
        })
        yield* changePost(agent, id, { content: "What the agent slips in.", status: "scheduled" })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Approve", exact: true }).click()
          await page.getByText("The post was changed after you read it. Nothing was decided.").waitFor()
          const changes = page.getByRole("region", { name: "Changed since you read it" })
          await changes.locator("ins").first().waitFor()
        })
        assert.strictEqual((yield* getPost(key, id)).status, "draft")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "I read this version" }).click()
          await page.getByRole("button", { name: "Approve", exact: true }).click()
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
        })
        const { content, status } = yield* getPost(key, id)
        assert.deepStrictEqual([status, content], ["scheduled", "What the agent slips in."])
      })
    )

    it.effect("On its own page a post is approved as the person has read it, not as it has become meanwhile", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open()
        const body = { content: "What stands there.", platforms: both, schedule_at: hoursAhead(30) }
        const id = yield* createPost(agent, body)
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/posts/${id}`)
          await page.getByRole("button", { name: "Approve", exact: true }).waitFor()
        })
        yield* changePost(agent, id, { content: "What was slipped in.", status: "scheduled" })
        const offered = yield* Effect.promise(async () => {
          // The page reacts as if the person came back to the window.
          await page.evaluate("window.dispatchEvent(new Event('online'))")
          await page.getByText("The post was changed after you read it.").waitFor()
          const changes = page.getByRole("region", { name: "Changed since you read it" })
          await changes.locator("ins").first().waitFor()
          const before = await page.getByRole("button", { name: "Approve", exact: true }).count()
          await page.getByRole("button", { name: "I read this version" }).click()
          await page.getByRole("button", { name: "Approve", exact: true }).click()
          await page.getByRole("heading", { name: /^Goes out/ }).waitFor()
          return before
        })
        assert.strictEqual(offered, 0)
        assert.strictEqual((yield* getPost(key, id)).status, "scheduled")
      })
    )

    it.effect("A draft that was changed since approval was asked for says so, and waits for nobody", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open()
        const body = { content: "Asked for.", platforms: both, schedule_at: hoursAhead(30) }
        const id = yield* createPost(agent, body)
        yield* changePost(key, id, { content: "Changed by a person." })
        const shown = yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/posts/${id}`)
          await page.getByText("Changed since approval was asked for").waitFor()
          const onPage = await page.getByRole("main").getByText("Awaiting approval").count()
          await page.goto(`${url}/posts`)
          const row = page.getByRole("listitem").filter({ hasText: "Changed by a person." })
          await row.waitFor()
          return [onPage, await row.getByText("Awaiting approval").count(), await row.getByText("Draft").count()]
        })
        yield* deletePost(key, id)
        assert.deepStrictEqual(shown, [0, 0, 1])
      })
    )

    it.effect("A rejected post stays a draft and shows why", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open({ colorScheme: "dark", width: 360, touch: true })
        const id = yield* createPost(agent, { content: "A wrong date", platforms: both, schedule_at: hoursAhead(30) })
        const [faults, width] = yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/approvals")
          await page.getByText("A wrong date").first().waitFor()
          const found = await findFaults(page)
          const wide = await widthOf(page)
          await page.getByRole("button", { name: "Reject" }).click()
          await page.getByLabel("What has to change?").fill("The date is wrong.")
          await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
          await page.goto(`${url}/posts/${id}`)
          await page.getByText("Rejected by demo@sandbox.test: The date is wrong.").first().waitFor()
          return [found, wide] as const
        })
        assert.deepStrictEqual([faults, width], [[], 360])
      })
    )

    it.effect("Who rejects a post that somebody else has approved meanwhile is told that it goes out", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open()
        const id = yield* createPost(agent, { content: "Decided twice", platforms: both, schedule_at: hoursAhead(30) })
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/approvals")
          await page.getByText("Decided twice").first().waitFor()
        })
        yield* approvePost(key, id)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Reject" }).click()
          await page.getByLabel("What has to change?").fill("The date is wrong.")
          await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
          await page.getByText("The post was changed after you read it, and is no longer a draft.").waitFor()
          await page.getByRole("button", { name: "Done" }).click()
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
        })
        assert.strictEqual((yield* getPost(key, id)).status, "scheduled")
      })
    )

    it.effect("Who approves a post that somebody else has rejected meanwhile is told so, and why", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open()
        const body = { content: "Rejected meanwhile", platforms: both, schedule_at: hoursAhead(30) }
        const [inQueue, onPage] = [yield* createPost(agent, body), yield* createPost(agent, body)]
        const approve = page.getByRole("button", { name: "Approve", exact: true })
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, `/posts/${onPage}`)
          await approve.waitFor()
        })
        yield* rejectPost(key, onPage, "The date is wrong")
        yield* Effect.promise(async () => {
          await approve.click()
          await page.getByText("This revision was already rejected.").waitFor()
          await page.getByText("Rejected by Demo: The date is wrong").first().waitFor()
          await page.goto(`${url}/approvals`)
          await page.getByRole("heading", { name: /^Planned for .*, once approved$/ }).waitFor()
        })
        yield* rejectPost(key, inQueue, "A typo")
        yield* Effect.promise(async () => {
          await approve.click()
          await page.getByText("rejected the post after you read it: A typo. There is nothing to decide.").waitFor()
          await page.getByRole("button", { name: "Done" }).click()
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
        })
        assert.deepStrictEqual(
          [(yield* getPost(key, onPage)).status, (yield* getPost(key, inQueue)).status],
          ["draft", "draft"]
        )
      })
    )

    it.effect("By keyboard alone a person gets from log-in to an approved post", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const page = yield* open()
        const id = yield* createPost(agent, { content: "No time yet", platforms: both, status: "draft" })
        yield* changePost(agent, id, { scheduled_at: hoursAhead(30), status: "scheduled" })
        yield* Effect.promise(async () => {
          await page.goto(`${url}/login`)
          await page.getByLabel("Email").waitFor()
          await tabTo(page, "Continue as demo")
          await page.keyboard.press("Enter")
          await page.getByRole("navigation", { name: "Pages" }).waitFor()
          await pressTogether(page, "ga")
          await page.getByText("No time yet").first().waitFor()
          await tabTo(page, "Approve")
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "Nothing waits for approval" }).waitFor()
        })
        assert.strictEqual((yield* getPost(key, id)).status, "scheduled")
      })
    )

    it.effect("A viewer sees what waits, and no action", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const agent = yield* makeAgentKey
        const viewer = yield* makeViewer
        const page = yield* open()
        const id = yield* createPost(agent, {
          content: "Only to look at",
          platforms: both,
          schedule_at: hoursAhead(30)
        })
        const [inQueue, onPost] = yield* Effect.promise(async () => {
          await page.goto(`${url}/login?next=/approvals`)
          await page.getByLabel("Email").fill(viewer.email)
          await page.getByLabel("Password", { exact: true }).fill(viewer.password)
          await page.getByRole("button", { name: "Log in" }).click()
          await page.getByText("Only to look at").first().waitFor()
          const main = page.getByRole("main")
          const queue = await main.getByRole("button").allInnerTexts()
          await page.goto(`${url}/posts/${id}`)
          await page.getByText("Release agent created it").waitFor()
          return [queue, await main.getByRole("button").allInnerTexts()] as const
        })
        assert.deepStrictEqual([inQueue, onPost], [[], []])
      })
    )
  })
})
