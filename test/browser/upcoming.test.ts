import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost, removePosts, untilChecked } from "./postsApi.ts"

const hoursAhead = (hours: number) =>
  Effect.map(TestClock.withLive(Clock.currentTimeMillis), (now) => new Date(now + hours * 3_600_000).toISOString())

/** Leaves only a scheduled post, and a draft with a time that nobody has scheduled. */
const makePosts = Effect.gen(function* () {
  yield* removePosts
  yield* createPost("A post that is fine", { schedule_at: yield* hoursAhead(2) })
  const { id } = yield* createPost("A forgotten draft", { schedule_at: yield* hoursAhead(3), status: "draft" })
  yield* untilChecked(id, "needs_you")
  return id
})

const finding = "Nobody has scheduled it, so it will not go out."

const changed = (page: Page, change: (outlook: Record<string, unknown>) => object) =>
  page.route("**/v1/outlook", async (route) => {
    const response = await route.fetch()
    const { data } = await response.json()
    await route.fulfill({ response, json: { data: { ...data, ...change(data) } } })
  })

describe.skipIf(!canRunBrowser)("What is due soon, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("Without posts, the page says what it is for", () =>
      Effect.gen(function* () {
        const page = yield* enter("/upcoming")
        const faults = yield* Effect.promise(async () => {
          await page.getByRole("heading", { name: "Nothing is due soon" }).waitFor()
          return findFaults(page)
        })
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect("A post that needs somebody leads to its step, and is fine afterwards", () =>
      Effect.gen(function* () {
        const id = yield* makePosts
        const page = yield* enter("/upcoming")
        yield* Effect.promise(async () => {
          await page.getByText("2 posts: 1 is fine, 1 needs you").waitFor()
          const needing = page.getByRole("region", { name: "Needs you" })
          await needing.getByText(finding).waitFor()
          assert.isFalse(await page.getByText("A post that is fine").isVisible())
          await page.getByText("1 post is fine").click()
          await page.getByText("A post that is fine").waitFor()
          await needing.getByRole("link", { name: "Open the post" }).click()
          await page.getByRole("region", { name: "What a check has found" }).getByText(finding).waitFor()
          await page.getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByText(finding).waitFor({ state: "detached" })
        })
        yield* untilChecked(id, "fine")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Upcoming" }).click()
          await page.getByRole("button", { name: "Check again" }).click()
          await page.getByText("2 posts: all are fine").waitFor()
        })
      })
    )

    it.effect.each([
      { colorScheme: "light", width: 1440 },
      { colorScheme: "dark", width: 390 }
    ] as const)("Everybody can use the page in the $colorScheme scheme, $width px wide", (options) =>
      Effect.gen(function* () {
        yield* makePosts
        const page = yield* enter("/upcoming", options)
        const faults = yield* Effect.promise(async () => {
          await page.getByRole("region", { name: "Needs you" }).waitFor()
          await page.getByText(/posts? (?:is|are) fine$/).click()
          return findFaults(page)
        })
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect.each(["/", "/?view=week"])(
      "The calendar at %s asks once, after its posts, and marks a post that needs somebody",
      (path) =>
        Effect.gen(function* () {
          const id = yield* makePosts
          const page = yield* enter("/notifications")
          const { url } = yield* Dashboard
          yield* Effect.promise(async () => {
            const asked: Array<string> = []
            page.on("response", (response) => asked.push(new URL(response.url()).pathname))
            await page.goto(url + path)
            const chip = page.locator(`.calendar-main [data-drag="${id}"]`)
            await chip.getByText(", needs you: Nobody has scheduled it, so it will not go out").waitFor({
              state: "attached"
            })
            assert.deepStrictEqual(
              asked.filter((each) => each === "/v1/outlook"),
              ["/v1/outlook"]
            )
            assert.isBelow(asked.indexOf("/v1/posts"), asked.indexOf("/v1/outlook"))
            assert.deepStrictEqual(await findFaults(page), [])
            await chip.click()
            const found = page.getByRole("complementary", { name: "Post" })
            await found.getByText(finding).waitFor()
            assert.strictEqual(await found.getByRole("link", { name: "Open the post" }).count(), 0)
            await found.getByRole("link", { name: "See all that is due soon" }).click()
            await page.getByRole("region", { name: "Needs you" }).first().waitFor()
          })
        })
    )

    it.effect.each(["/", "/?view=week"])(
      "Posts without room in the calendar at %s are marked if one of them needs somebody",
      (path) =>
        Effect.gen(function* () {
          yield* removePosts
          // In one hour and on one day, whatever the time is.
          const hour = (yield* hoursAhead(25)).slice(0, 13)
          for (let minute = 10; minute < 35; minute++)
            yield* createPost(`Post ${minute}`, { schedule_at: `${hour}:${minute}:00Z` })
          yield* createPost("A forgotten draft", { schedule_at: `${hour}:40:00Z`, status: "draft" })
          const page = yield* enter("/notifications", { height: 700 })
          const { url } = yield* Dashboard
          yield* Effect.promise(async () => {
            await page.goto(url + path)
            await page.getByRole("button", { name: / more ?, \d+ of them needs? you$/ }).waitFor()
            assert.deepStrictEqual(await findFaults(page), [])
          })
        })
    )

    it.effect("A check that fails says so, and is repeated on request; the last one stays in view", () =>
      Effect.gen(function* () {
        yield* makePosts
        const page = yield* enter("/notifications")
        yield* Effect.promise(async () => {
          let isBroken = true
          await page.route("**/v1/outlook", (route) =>
            isBroken
              ? route.fulfill({
                  status: 429,
                  contentType: "application/problem+json",
                  json: {
                    status: 429,
                    code: "rate_limited",
                    detail: "This workspace's posts were checked a moment ago"
                  }
                })
              : route.continue()
          )
          await page.getByRole("link", { name: "Upcoming" }).click()
          await page.getByText("This workspace's posts were checked a moment ago.").waitFor()
          isBroken = false
          await page.getByRole("button", { name: "Try again" }).click()
          const needing = page.getByRole("region", { name: "Needs you" })
          await needing.waitFor()
          isBroken = true
          await page.getByRole("button", { name: "Check again" }).click()
          await page.getByText("This workspace's posts were checked a moment ago.").waitFor()
          assert.isTrue(await needing.isVisible())
        })
      })
    )

    it.effect("A check that the service remembers says so", () =>
      Effect.gen(function* () {
        const page = yield* enter("/notifications")
        yield* Effect.promise(async () => {
          await changed(page, () => ({ checked_at: "2026-01-01T00:00:00.000Z" }))
          await page.getByRole("link", { name: "Upcoming" }).click()
          await page.getByRole("button", { name: "Check again" }).click()
          await page.getByText("These posts were checked a moment ago.").waitFor()
        })
      })
    )

    it.effect("A hold, posts that could not be checked, and posts that are not listed are named", () =>
      Effect.gen(function* () {
        yield* makePosts
        const page = yield* enter("/notifications")
        const { url } = yield* Dashboard
        yield* Effect.promise(async () => {
          await changed(page, ({ posts }) => ({
            publishing_held: true,
            counts: { posts: 700, fine: 698, need_you: 1, unchecked: 1 },
            cost_estimate: { usd: 0.215, note: "2 posts by list prices, without files" },
            left_out: 698,
            note: "698 of 700 posts are not listed: those with the least to do and the latest times",
            posts: (Array.isArray(posts) ? posts : []).slice(0, 2).map((post, index) => ({
              ...post,
              state: index === 0 ? "needs_you" : "unchecked",
              findings: [
                {
                  code: "account_unchecked",
                  level: index === 0 ? "needs_you" : "note",
                  message: "X did not answer",
                  help: "Check again later",
                  platform: "twitter",
                  integration_id: null
                }
              ]
            }))
          }))
          await page.goto(`${url}/upcoming`)
          await page.getByText("700 posts: 698 are fine, 1 needs you, 1 could not be checked").waitFor()
          await page.getByText("Publishing is on hold, so nothing goes out").waitFor()
          await page.getByText("About $0.215: 2 posts by list prices, without files.").waitFor()
          await page.getByRole("region", { name: "Could not be checked" }).getByText("X did not answer.").waitFor()
          await page.getByText("698 posts are fine, 0 of them listed").waitFor()
          await page.getByText("698 of 700 posts are not listed").waitFor()
          assert.deepStrictEqual(await findFaults(page), [])
          const longer = page.waitForRequest("**/v1/outlook?limit=500")
          await page.getByRole("button", { name: "List more" }).click()
          await longer
          await page.getByText("698 of 700 posts are not listed").waitFor({ state: "detached" })
        })
      })
    )

    it.effect("An admin chooses the hour of the daily check, or turns it off", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/notifications")
        yield* Effect.promise(async () => {
          const hour = page.getByLabel("Hour of the daily check")
          await hour.selectOption("19:00")
          await page.getByLabel("Notify about the check").selectOption("Every day, even if all is fine")
          await page.getByText("The next check is").waitFor()
          await page.locator("option[value=always]:checked").waitFor({ state: "attached" })
          await page.reload()
          await hour.waitFor()
          assert.strictEqual(await hour.inputValue(), "19")
          assert.strictEqual(await page.getByLabel("Notify about the check").inputValue(), "always")
          await hour.selectOption("Never")
          await page.getByText("No check is planned.").waitFor()
          assert.deepStrictEqual(await findFaults(page), [])
          await page.reload()
          await page.getByText("No check is planned.").waitFor()
          assert.strictEqual(await hour.inputValue(), "-1")
        })
      })
    )
  })
})
