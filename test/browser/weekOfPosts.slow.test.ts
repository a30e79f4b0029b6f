import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Browser } from "./browser.ts"
import { calendar, dayMillis, tuesday } from "./calendarPage.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { setQueue } from "./posts.ts"
import { picture } from "./samples.ts"

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
const entries = weekdays.flatMap((weekday) => ["10:00", "15:30"].map((time) => ({ weekday, time })))

const Listed = Schema.Struct({
  data: Schema.Array(Schema.Struct({ status: Schema.String, media: Schema.Array(Schema.Unknown) }))
})

describe.skipIf(!canRunBrowser)("A week of posts, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect(
      "Twelve posts with pictures take three clicks each, and none is refused because its file is processed",
      () =>
        Effect.gen(function* () {
          const { key, url } = yield* Dashboard
          yield* setQueue(key, { time_zone: "UTC", entries })
          const file = yield* picture
          const page = yield* enter(calendar("week"))
          const said = yield* Effect.promise(async () => {
            const errors: Array<string> = []
            // Clicks of a pointer alone, and not those that the page makes.
            await page.evaluate(
              "window.clicks = 0; addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) window.clicks += 1 }, true)"
            )
            for (const [index] of entries.entries()) {
              await page.locator(".calendar-free").first().click()
              await page.getByRole("textbox", { name: "Text", exact: true }).fill(`Post ${index + 1} of the week`)
              const chooser = page.waitForEvent("filechooser")
              await page.getByRole("button", { name: "Add pictures or a video" }).click()
              await (await chooser).setFiles(file)
              await page.getByRole("button", { name: "Schedule", exact: true }).click()
              await page.waitForURL(/view=week/)
              errors.push(...(await page.locator(".toast-error").allInnerTexts()))
              // The slot is taken now.
              await page
                .locator(".calendar-free")
                .nth(entries.length - index - 1)
                .waitFor({ state: "detached" })
            }
            return { errors, clicks: await page.evaluate<number>("window.clicks") }
          })
          const from = new Date(tuesday.getTime() - 3 * dayMillis).toISOString()
          const to = new Date(tuesday.getTime() + 7 * dayMillis).toISOString()
          const text = yield* Effect.promise(async () => {
            const query = `scheduled_from=${from}&scheduled_to=${to}&limit=100`
            const response = await fetch(`${url}/v1/posts?${query}`, { headers: { authorization: `Bearer ${key}` } })
            return response.text()
          })
          const { data } = yield* Schema.decodeEffect(Schema.fromJsonString(Listed))(text)
          assert.deepStrictEqual(said, { errors: [], clicks: 3 * entries.length })
          assert.deepStrictEqual(
            data.map(({ media, status }) => [status, media.length]),
            entries.map(() => ["scheduled", 1])
          )
        })
    )
  })
})
