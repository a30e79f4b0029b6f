import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { newestPost } from "./posts.ts"

describe.skipIf(!canRunBrowser)("Times in browsers of several zones, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    // Clocks of Vancouver no longer change; this Chromium does not know that yet.
    it.effect.each([
      { timeZone: "Europe/Berlin", wall: "2027-03-28T02:30", instant: "2027-03-28T01:30:00.000Z", clock: "03:30" },
      {
        timeZone: "Australia/Lord_Howe",
        wall: "2027-04-04T01:45",
        instant: "2027-04-03T14:45:00.000Z",
        clock: "01:45"
      },
      { timeZone: "America/Santiago", wall: "2027-04-03T23:30", instant: "2027-04-04T02:30:00.000Z", clock: "23:30" },
      { timeZone: "UTC", wall: "2027-03-28T02:30", instant: "2027-03-28T02:30:00.000Z", clock: "02:30" },
      { timeZone: "America/Vancouver", wall: "2027-01-20T09:00", instant: "2027-01-20T16:00:00.000Z", clock: "09:00" }
    ])("A browser in $timeZone stores its $wall as $instant, and shows $clock", ({ clock, instant, timeZone, wall }) =>
      Effect.gen(function* () {
        const { key } = yield* Dashboard
        const page = yield* enter(`/compose?at=${wall}`, { timeZone })
        yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill(`At ${wall} in ${timeZone}`)
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.waitForURL(/\/posts\//)
        })
        const post = yield* newestPost(key)
        assert.deepStrictEqual([post.content, post.scheduled_at], [`At ${wall} in ${timeZone}`, instant])
        yield* Effect.promise(() =>
          page
            .getByTitle(new RegExp(`${clock} \\(${timeZone}\\)`))
            .first()
            .waitFor()
        )
      })
    )
  })
})
