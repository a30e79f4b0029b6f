import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { DashboardPath } from "../../src/api/dashboardPaths.ts"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { openAsDemo } from "./enter.ts"
import { createPost } from "./posts.ts"
import { idsByStatus } from "./postsApi.ts"

/**
 * The addresses to check for each page. `:status` stands for a post with that status. The type requires an entry for
 * every page.
 */
const addresses: Readonly<Record<DashboardPath, ReadonlyArray<string>>> = {
  "/": ["/", "/?view=week", "/?text=nowhere+to+be+found"],
  "/upcoming": ["/upcoming"],
  "/posts": ["/posts", "/posts?status=failed", "/posts?text=nowhere+to+be+found"],
  "/posts/:id": ["/posts/:published", "/posts/:failed", "/posts/:scheduled", "/posts/:draft", "/posts/no-post"],
  "/compose": ["/compose", "/compose?post=:thread", "/compose?post=:published"],
  "/approvals": ["/approvals"],
  "/notifications": ["/notifications"],
  "/accounts": ["/accounts"],
  "/settings": ["/settings"],
  "/settings/profile": ["/settings/profile"],
  "/settings/notifications": ["/settings/notifications"],
  "/settings/queue": ["/settings/queue"],
  "/settings/keys": ["/settings/keys"],
  "/settings/agents": ["/settings/agents"],
  "/settings/webhooks": ["/settings/webhooks"],
  "/settings/members": ["/settings/members"],
  "/login": ["/login"],
  "/password": ["/password", "/password#a-link-that-nobody-made"],
  "/invite": ["/invite", "/invite#an-invitation-that-nobody-made"]
}

describe.skipIf(!canRunBrowser)("Every page of the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.withExamples))((it) => {
    it.effect.each([
      { colorScheme: "light", width: 1440 },
      { colorScheme: "dark", width: 390 }
    ] as const)("Everybody can use it in the $colorScheme scheme, $width px wide", (options) =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const thread = yield* createPost(key, {
          content: "A thread that is longer than the window",
          platforms: ["twitter", "bluesky"],
          status: "draft",
          thread: Array.from({ length: 20 }, (_, index) => ({ content: `What follows, part ${index + 2}` }))
        })
        const ids: Readonly<Record<string, string>> = { ...(yield* idsByStatus), thread }
        const { page: open } = yield* Browser
        const own = yield* open(options)
        const anonymous = yield* open(options)
        const faults = yield* Effect.promise(async () => {
          await openAsDemo(own, url, "/notifications")
          const found: Array<string> = []
          for (const address of Object.values(addresses).flat()) {
            const page = /^\/(invite|login)/.test(address) ? anonymous : own
            await page.goto(url + address.replace(/:(\w+)/, (_, status) => ids[status] ?? "missing"))
            await page.getByRole("heading", { level: 1 }).or(page.locator(".empty")).first().waitFor()
            await page.locator("[aria-busy=true], .skeleton").first().waitFor({ state: "detached" })
            found.push(...(await findFaults(page)).map((fault) => `${address}: ${fault}`))
          }
          return found
        })
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
