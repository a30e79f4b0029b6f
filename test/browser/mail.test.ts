import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

describe.skipIf(!canRunBrowser)("The choices of mail, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A choice is kept, and the last admin can't turn off failures", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/notifications")
        const [published, failed, words, faults] = yield* Effect.promise(async () => {
          await page.getByText("This service sends no mail yet").waitFor()
          await page.getByLabel("Posts that were published").selectOption("Once a day")
          await page.getByText("Nothing is in the summary yet").waitFor({ state: "hidden" })
          await page.getByLabel("Posts that failed").selectOption("Never")
          const refusal = await page.getByText("No other admin gets mail about posts that failed").textContent()
          await page.reload()
          await page.getByText("Nothing was mailed in the last 30 days.").waitFor()
          return [
            await page.getByLabel("Posts that were published").inputValue(),
            await page.getByLabel("Posts that failed").inputValue(),
            refusal,
            await findFaults(page)
          ]
        })
        assert.deepStrictEqual([published, failed], ["digest", "now"])
        assert.include(String(words), "choose the daily summary")
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect("A mute begins and ends", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/notifications")
        yield* Effect.promise(async () => {
          await page.getByLabel("Get no mail for a while").selectOption("For a week")
          await page.getByText("Muted until").waitFor()
          await page.getByRole("button", { name: "End the mute" }).click()
          await page.getByLabel("Get no mail for a while").waitFor()
        })
      })
    )

    it.effect("A person who has forgotten the password learns whom to ask, if the service sends no mail", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const faults = yield* Effect.promise(async () => {
          await page.goto(`${url}/login`)
          await page.getByRole("link", { name: "I have forgotten my password" }).click()
          await page.getByLabel("Email").fill("ada@example.com")
          await page.getByRole("button", { name: "Mail me a link" }).click()
          await page.getByText("This service sends no mail. Ask an operator for another password.").waitFor()
          return findFaults(page)
        })
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect("A link that was used says so", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          await page.goto(`${url}/password#a-link-that-nobody-made`)
          await page.getByLabel("New password").fill("another long sentence")
          await page.getByRole("button", { name: "Change the password" }).click()
          await page.getByText("This link was used, or it is older than an hour.").waitFor()
        })
      })
    )
  })
})
