import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

/**
 * Publishes two posts, and waits until there is a notification of each, because an open page reloads the list only
 * every half minute.
 */
const publishTwo = Effect.gen(function* () {
  const { key, url } = yield* Dashboard
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const countNotifications = Effect.promise(async () => {
    const response = await fetch(`${url}/v1/notifications?limit=1`, { headers })
    return Number(/"total":(\d+)/.exec(await response.text())?.[1])
  })
  const before = yield* countNotifications
  yield* Effect.promise(async () => {
    for (const content of ["First", "Second"]) {
      const draft = await fetch(`${url}/v1/posts`, {
        method: "POST",
        headers,
        body: JSON.stringify({ content, platforms: ["bluesky"] })
      })
      const id = /"id":"([^"]+)"/.exec(await draft.text())?.[1] ?? "none"
      await fetch(`${url}/v1/posts/${id}/publish`, { method: "POST", headers })
    }
  })
  yield* Effect.repeat(countNotifications, { until: (count) => count === before + 2 })
})

const defaultPageSize = 30

/** A list of notifications from the newest, which a test can change, and the number of requests for further pages. */
const serveList = async (page: Page) => {
  const state = {
    ids: Array.from({ length: 40 }, (_, index) => 100 - index),
    furtherRequests: 0,
    isAway: false,
    unread: 0
  }
  await page.route(/\/v1\/notifications(\?|$)/, (route) => {
    const { searchParams } = new URL(route.request().url())
    const pageSize = Number(searchParams.get("limit") ?? defaultPageSize)
    const before = Number(searchParams.get("cursor") ?? Infinity)
    if (before !== Infinity) state.furtherRequests += 1
    if (before !== Infinity && state.isAway) return route.fulfill({ status: 503, json: { code: "unavailable" } })
    const rest = state.ids.filter((id) => id < before)
    const data = rest.slice(0, pageSize).map((id) => ({
      id: String(id),
      type: "post.draft_overdue",
      level: "attention",
      metadata: { post_id: String(id), scheduled_at: null },
      title: "A post waits for approval",
      message: "Hello",
      action_url: `/posts/${id}`,
      read: state.ids.indexOf(id) >= state.unread,
      created_at: new Date().toISOString()
    }))
    const next_cursor = rest.length > pageSize ? (data.at(-1)?.id ?? null) : null
    return route.fulfill({ json: { data, next_cursor, hasMore: next_cursor !== null } })
  })
  return state
}

const reconnect = "window.dispatchEvent(new Event('online'))"

describe.skipIf(!canRunBrowser)("The dashboard's notifications, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A notification is unread until a click opens its page, and all can be marked at once", () =>
      Effect.gen(function* () {
        yield* publishTwo
        const page = yield* enter("/notifications")
        // The list has one group per day, so around midnight it has two groups.
        const list = page.locator(".notification-list")
        const unread = list.getByText("(unread)")
        const counts = yield* Effect.promise(async () => {
          await list.getByRole("link").nth(1).waitFor()
          const before = await unread.count()
          await list.getByRole("link").first().click()
          await page.waitForURL("**/posts/*")
          await page.getByRole("link", { name: "Notifications" }).click()
          await list.getByRole("link").nth(1).waitFor()
          await unread.nth(1).waitFor({ state: "detached" })
          const afterOne = await unread.count()
          await page.getByRole("button", { name: "Mark all as read" }).click()
          await page.getByRole("button", { name: "Mark all as read" }).waitFor({ state: "detached" })
          return [before, afterOne, await unread.count()]
        })
        assert.deepStrictEqual(counts, [2, 1, 0])
      })
    )

    it.effect("What asks nothing of anybody is not counted, and is not listed as what needs attention", () =>
      Effect.gen(function* () {
        yield* publishTwo
        const page = yield* enter("/notifications")
        const seen = yield* Effect.promise(async () => {
          await page.locator(".notification-list").getByText("(unread)").nth(1).waitFor()
          const label = await page.getByRole("link", { name: "Notifications" }).innerText()
          await page.getByRole("tab", { name: "Needs attention" }).click()
          await page.getByText("Nothing needs attention").waitFor()
          return [label.trim(), new URL(page.url()).search]
        })
        assert.deepStrictEqual(seen, ["Notifications", "?level=attention"])
      })
    )

    it.effect(
      "The number of unread notifications goes beyond a page of the list, and says where there may be more",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/accounts")
          const counted = yield* Effect.promise(async () => {
            const list = await serveList(page)
            const link = page.getByRole("link", { name: "Notifications" })
            list.unread = 45
            await page.reload()
            await link.getByText("40", { exact: true }).waitFor()
            list.ids = Array.from({ length: 140 }, (_, index) => 200 - index)
            list.unread = 140
            await page.evaluate(reconnect)
            await link.getByText("100+", { exact: true }).waitFor()
            return link.innerText()
          })
          assert.include(counted, "100+")
        })
    )

    it.effect("A further page that can't be loaded is asked for once, and again when the person says so", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        const requests = yield* Effect.promise(async () => {
          const list = await serveList(page)
          list.isAway = true
          await page.getByRole("link", { name: "Notifications" }).click()
          const rows = page.locator(".notification-list").getByRole("listitem")
          await rows.nth(defaultPageSize - 1).scrollIntoViewIfNeeded()
          await page.getByRole("alert").getByText("The service failed").waitFor()
          await page.evaluate("new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(resolve)))")
          const whileAway = list.furtherRequests
          list.isAway = false
          await page.getByRole("button", { name: "Try again" }).click()
          await rows.nth(39).waitFor()
          return [whileAway, list.furtherRequests, await page.getByRole("alert").count()]
        })
        assert.deepStrictEqual(requests, [1, 2, 0])
      })
    )

    it.effect(
      "What a page loses at its end is at the beginning of the one after it, and what is gone is shown no more",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/accounts")
          const seen = yield* Effect.promise(async () => {
            const list = await serveList(page)
            await page.getByRole("link", { name: "Notifications" }).click()
            const links = page.locator(".notification-list").getByRole("link")
            await links.nth(defaultPageSize - 1).scrollIntoViewIfNeeded()
            await links.nth(39).waitFor()
            list.ids = [101, ...list.ids]
            await page.evaluate(reconnect)
            await links.nth(40).waitFor()
            const withNewOne = await page.locator("a[href='/posts/71']").count()
            list.ids = list.ids.filter((id) => id !== 65)
            await page.evaluate(reconnect)
            await page.locator("a[href='/posts/65']").waitFor({ state: "detached" })
            return [withNewOne, await links.count()]
          })
          assert.deepStrictEqual(seen, [1, 40])
        })
    )

    it.effect("Everybody can use the notifications in both color schemes", () =>
      Effect.gen(function* () {
        yield* publishTwo
        const page = yield* enter("/notifications")
        yield* Effect.promise(() => page.locator(".notification-list").getByRole("link").nth(1).waitFor())
        assert.deepStrictEqual(yield* Effect.promise(() => findFaultsInBothSchemes(page)), [])
      })
    )
  })
})
