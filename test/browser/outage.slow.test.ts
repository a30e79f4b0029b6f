import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Route } from "playwright-core"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { approvePost, createPost, getPost, hoursAhead, makeAgentKey } from "./posts.ts"
import { endRoute } from "./routes.ts"
import { both } from "./samples.ts"

const ownClock = { ownClock: true } as const

const unavailable = (route: Route) =>
  route.fulfill({ status: 503, json: { code: "unavailable", detail: "The database is away" } })

describe.skipIf(!canRunBrowser)("After an outage, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A page whose code could not be loaded loads by itself once the service can be reached", () =>
      Effect.gen(function* () {
        const page = yield* enter("/", ownClock)
        yield* Effect.promise(async () => {
          await page.route(/\/assets\/PostsPage|\/healthz/, (route) => route.abort())
          await page.getByRole("link", { name: "Posts", exact: true }).click()
          await page.getByText("This page could not be loaded").waitFor()
          await endRoute(page, /\/assets\/PostsPage|\/healthz/)
          await page.clock.fastForward(3000)
          await page.getByRole("heading", { level: 1, name: "Posts" }).waitFor()
        })
      })
    )

    it.effect("Data that the service failed to load is loaded again without a click", () =>
      Effect.gen(function* () {
        const page = yield* enter("/", ownClock)
        yield* Effect.promise(async () => {
          await page.route(/\/v1\/platforms/, unavailable)
          await page.route(/\/v1\/integrations$/, unavailable)
          await page.getByRole("link", { name: "Accounts", exact: true }).click()
          await page.getByRole("alert").filter({ hasText: "The service failed." }).first().waitFor()
          await endRoute(page, /\/v1\/platforms/)
          await endRoute(page, /\/v1\/integrations$/)
          await page.clock.fastForward(5000)
          await page.getByRole("button", { name: "Reconnect X" }).waitFor()
          await page.getByRole("alert").first().waitFor({ state: "detached" })
        })
      })
    )

    it.effect("The message of a failure goes with the success of the same action, and with the page", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const id = yield* createPost(key, {
          content: "Hello",
          platforms: both,
          schedule_at: hoursAhead(30),
          status: "draft"
        })
        const page = yield* enter(`/posts/${id}`)
        yield* Effect.promise(async () => {
          const path = `**/v1/posts/${id}`
          const messages = page.getByRole("list", { name: "Messages" }).getByRole("listitem")
          const failure = messages.filter({ hasText: "The service failed." })
          const fail = (route: Route) => (route.request().method() === "PATCH" ? unavailable(route) : route.continue())
          await page.route(path, fail)
          const schedule = page.getByRole("button", { name: "Schedule", exact: true })
          await schedule.click()
          await failure.waitFor()
          await schedule.click()
          await page.getByText("Schedule", { exact: true }).first().waitFor()
          assert.strictEqual(await failure.count(), 1)
          await endRoute(page, path, fail)
          await schedule.click()
          await messages.filter({ hasText: "It goes out at its time" }).waitFor()
          assert.strictEqual(await failure.count(), 0)
          await page.route(path, fail)
          await page.getByRole("button", { name: "Unschedule" }).click()
          await failure.waitFor()
          await page.getByRole("link", { name: "Posts", exact: true }).click()
          await page.getByRole("heading", { level: 1, name: "Posts" }).waitFor()
          assert.strictEqual(await failure.count(), 0)
        })
        assert.strictEqual((yield* getPost(key, id)).status, "scheduled")
      })
    )

    it.effect("A request for approval is counted once, and its notification says when it no longer waits", () =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const agent = yield* makeAgentKey
        const id = yield* createPost(agent, { content: "Please look", platforms: both, schedule_at: hoursAhead(30) })
        const page = yield* enter("/notifications?level=attention")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Approvals 1" }).waitFor()
          await page.getByRole("listitem").filter({ hasText: "Please look" }).waitFor()
          assert.strictEqual(await page.getByRole("link", { name: "Notifications", exact: true }).count(), 1)
          assert.strictEqual(await page.getByText("no longer waits").count(), 0)
        })
        yield* approvePost(key, id)
        yield* Effect.promise(async () => {
          await page.reload()
          await page.getByText("no longer waits").waitFor()
        })
      })
    )
  })
})
