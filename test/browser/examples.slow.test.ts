import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

describe.skipIf(!canRunBrowser)("The example posts in the dashboard, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.withExamples))((it) => {
    it.effect("A person sees how many there are, and removes them after one question", () =>
      Effect.gen(function* () {
        const page = yield* enter("/")
        const mark = page.getByRole("banner").getByRole("button", { name: /^\d+ examples$/ })
        const posts = page.getByRole("list", { name: "Posts" }).getByRole("listitem")
        yield* Effect.promise(async () => {
          await page.goto(new URL("/posts", page.url()).href)
          await posts.first().waitFor()
          await mark.click()
          await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
          await mark.click()
          await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
          await page.getByText(/^Removed \d+ examples$/).waitFor()
          await mark.waitFor({ state: "detached" })
          await page.getByText("No posts yet").waitFor()
        })
        assert.strictEqual(yield* Effect.promise(() => posts.count()), 0)
      })
    )
  })
})
