import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost } from "./posts.ts"

/** The queue's entries as the API has them, such as `monday 09:00`. */
const readEntries = async (url: string, key: string): Promise<ReadonlyArray<string>> => {
  const response = await fetch(`${url}/v1/queue`, { headers: { authorization: `Bearer ${key}` } })
  const text = await response.text()
  return Array.from(
    text.matchAll(/"weekday":"(\w+)","time":"([\d:]+)"(?:,"platforms":\["(\w+)"\])?/g),
    ([, weekday, time, platform]) => [weekday, time, ...(platform === undefined ? [] : [platform])].join(" ")
  )
}

const setQueue = (url: string, key: string, entries: ReadonlyArray<object>) =>
  fetch(`${url}/v1/queue`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ time_zone: "Europe/Berlin", entries })
  }).then(({ status }) => status)

/** The entry of a free time that is so many hours ahead. */
const entryIn = (hours: number) => {
  const zoned = new Intl.DateTimeFormat("en-US", {
    timeZone: "Europe/Berlin",
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  })
  const parts = new Map(zoned.formatToParts(Date.now() + hours * 3_600_000).map(({ type, value }) => [type, value]))
  return { weekday: parts.get("weekday")?.toLowerCase(), time: `${parts.get("hour")}:${parts.get("minute")}` }
}

describe.skipIf(!canRunBrowser)("The queue's settings, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("An empty queue teaches the step; times are added by keyboard, and one is removed", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        yield* Effect.promise(() => setQueue(url, key, []))
        const page = yield* enter("/settings/queue")
        yield* Effect.promise(async () => {
          await page.getByText("No times yet").waitFor()
          await page.getByRole("button", { name: "Every weekday at 09:00" }).click()
          await page.getByText("5 times were added").waitFor()
        })
        assert.deepStrictEqual(
          yield* Effect.promise(() => readEntries(url, key)),
          ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => `${day} 09:00`)
        )
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Add a time on Saturday" }).focus()
          await page.keyboard.press("Enter")
          await page.keyboard.type("5.30 pm")
          await page.getByRole("button", { name: "Bluesky" }).click()
          await page.getByLabel("Time", { exact: true }).press("Enter")
          await page.getByText("The time was added").waitFor()
          await page.getByRole("button", { name: "Remove Tuesday 09:00" }).click()
          await page.getByText("Removed Tuesday 09:00. Planned posts keep their times.").waitFor()
        })
        assert.deepStrictEqual(yield* Effect.promise(() => readEntries(url, key)), [
          "monday 09:00",
          "wednesday 09:00",
          "thursday 09:00",
          "friday 09:00",
          "saturday 17:30 twitter"
        ])
        const refused = yield* Effect.promise(async () => {
          await page.getByLabel("Time", { exact: true }).fill("17:30")
          await page.keyboard.press("Enter")
          await page.getByText("This time is there already").waitFor()
          await page.getByLabel("Time", { exact: true }).fill("soon")
          await page.keyboard.press("Enter")
          return page.getByText("A time such as 09:00").innerText()
        })
        assert.strictEqual(refused, "A time such as 09:00")
      })
    )

    it.effect("What somebody else changed meanwhile is not overwritten, and is shown", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        yield* Effect.promise(() => setQueue(url, key, [{ weekday: "monday", time: "09:00" }]))
        const page = yield* enter("/settings/queue")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Remove Monday 09:00" }).waitFor()
          await setQueue(url, key, [{ weekday: "sunday", time: "10:00" }])
          await page.getByRole("button", { name: "Remove Monday 09:00" }).click()
          await page.getByText("Somebody else has changed the queue meanwhile").waitFor()
          await page.getByRole("button", { name: "Remove Sunday 10:00" }).waitFor()
        })
        assert.deepStrictEqual(yield* Effect.promise(() => readEntries(url, key)), ["sunday 10:00"])
      })
    )

    it.effect("The composer tells the next free time before saving, and schedules the post in that slot", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const entry = entryIn(2)
        yield* Effect.promise(() => setQueue(url, key, [entry]))
        const page = yield* enter("/compose")
        const sent = yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text" }).first().fill("In the next slot")
          await page.getByRole("button", { name: "Schedule" }).click()
          await page.getByRole("button", { name: /^Next free time: / }).click()
          const request = page.waitForRequest(
            (one) => one.method() === "POST" && new URL(one.url()).pathname === "/v1/posts"
          )
          await page.getByRole("dialog").getByRole("button", { name: "Schedule", exact: true }).click()
          const body: unknown = (await request).postDataJSON()
          await page.getByText(new RegExp(`^Scheduled for (?:today|tomorrow) ${entry.time}`)).waitFor()
          return body
        })
        assert.deepInclude(sent, { schedule: "next_slot", status: "scheduled" })
        assert.notProperty(sent, "schedule_at")
      })
    )

    it.effect("A free time that another post takes before saving is named, with the time that the post got", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const { weekday } = entryIn(48)
        const entries = ["09:00", "11:00"].map((time) => ({ weekday, time }))
        yield* Effect.promise(() => setQueue(url, key, entries))
        const page = yield* enter("/compose")
        yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text" }).first().fill("Too late for the first slot")
          await page.getByRole("button", { name: "Schedule" }).click()
          await page.getByRole("button", { name: /^Next free time: .*09:00$/ }).click()
        })
        yield* createPost(key, { content: "Quicker", platforms: ["twitter"], schedule: "next_slot" })
        yield* Effect.promise(async () => {
          await page.getByRole("dialog").getByRole("button", { name: "Schedule", exact: true }).click()
          await page.getByText(/^Scheduled for .*11:00, because .*09:00 was taken meanwhile$/).waitFor()
        })
      })
    )

    it.effect("After a lost response to a change the page does not say that the change failed", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        yield* Effect.promise(() => setQueue(url, key, [{ weekday: "monday", time: "09:00" }]))
        const page = yield* enter("/settings/queue")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Remove Monday 09:00" }).waitFor()
          await page.route("**/v1/queue", async (route) => {
            if (route.request().method() !== "PUT") return route.continue()
            await route.fetch()
            await route.abort()
          })
          await page.getByRole("button", { name: "Remove Monday 09:00" }).click()
          await page.getByText("It is not known whether this change arrived").waitFor()
          await page.getByText("No times yet").waitFor()
        })
        assert.deepStrictEqual(yield* Effect.promise(() => readEntries(url, key)), [])
      })
    )

    it.effect("axe-core finds no violation in both color schemes, wide or by touch", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const problems: Array<string> = []
        const entries = [
          { weekday: "monday", time: "09:00" },
          { weekday: "monday", time: "17:30", platforms: ["bluesky"] }
        ]
        for (const shown of [[], entries]) {
          yield* Effect.promise(() => setQueue(url, key, shown))
          for (const size of [{}, { width: 390, touch: true }]) {
            const page = yield* enter("/settings/queue", size)
            yield* Effect.promise(() => page.getByText("The next free time is").waitFor())
            problems.push(...(yield* Effect.promise(() => findFaultsInBothSchemes(page))))
            const sideways = yield* Effect.promise(() =>
              page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
            )
            assert.isFalse(sideways)
          }
        }
        assert.deepStrictEqual(problems, [])
      })
    )
  })
})
