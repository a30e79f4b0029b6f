import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost } from "./postsApi.ts"
import { endRoute } from "./routes.ts"

const isSaved = (page: Page) =>
  page.waitForResponse(
    (response) => response.url().endsWith("/v1/session/profile") && response.request().method() === "PATCH"
  )

/** Chooses an option of the profile, and waits until it is saved. */
const choose = async (page: Page, label: string, option: string) => {
  const saved = isSaved(page)
  await page.getByLabel(label, { exact: true }).selectOption(option)
  await saved
}

/** Half past four in the afternoon, UTC, on a future day. In Tokyo it is the next day. */
const evening = new Date()
evening.setUTCDate(evening.getUTCDate() + 40)
evening.setUTCHours(16, 30, 0, 0)
/** A time whose UTC parts are those of `evening` in Tokyo. */
const inTokyo = new Date(evening.getTime() + 9 * 60 * 60_000)

const password = "a long and secret sentence"

describe.skipIf(!canRunBrowser)("A person's profile, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    /** Enters as a new person with a password, so that tests do not share settings. */
    const enterAs = Effect.fnUntraced(function* (email: string, role: string, target = "/settings") {
      const { command, key, url } = yield* Dashboard
      const workspaceId = yield* Effect.promise(async () => {
        const response = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
        const [, id = ""] = /"workspace":\{"id":"([^"]+)"/.exec(await response.text()) ?? []
        return id
      })
      yield* command(["user", "create", "--workspace", workspaceId, "--email", email, "--role", role], `${password}\n`)
      const { page: open } = yield* Browser
      const page = yield* open()
      yield* Effect.promise(async () => {
        await page.goto(`${url}/login?next=${encodeURIComponent(target)}`)
        await page.getByLabel("Email").fill(email)
        await page.getByLabel("Password", { exact: true }).fill(password)
        await page.keyboard.press("Enter")
        await page.getByRole("navigation", { name: "Pages" }).waitFor()
      })
      return page
    })

    it.effect("A viewer finds their profile in the settings, and a name that they give is shown in its place", () =>
      Effect.gen(function* () {
        const page = yield* enterAs("viewer@example.com", "viewer")
        const found = yield* Effect.promise(async () => {
          await page.getByLabel("Name", { exact: true }).fill("  Vera Viewer ")
          await page.keyboard.press("Enter")
          await page.getByText("Your name was saved").waitFor()
          await page.getByRole("button", { name: "You: Vera Viewer" }).click()
          await page.getByRole("menu").getByText("viewer@example.com").waitFor()
          await page.keyboard.press("Escape")
          assert.isTrue(await page.getByRole("button", { name: "Save the name" }).isDisabled())
          return findFaults(page)
        })
        assert.deepStrictEqual(found, [])
        const members = yield* enter("/settings/members")
        yield* Effect.promise(() => members.getByText("Vera Viewer").first().waitFor())
      })
    )

    it.effect("What is typed while a name is being saved stays in its field", () =>
      Effect.gen(function* () {
        const page = yield* enterAs("typing@example.com", "viewer")
        const field = page.getByLabel("Name", { exact: true })
        const kept = yield* Effect.promise(async () => {
          const typed = Promise.withResolvers<void>()
          await page.route("**/v1/session/profile", async (route) => {
            if (route.request().method() === "PATCH") await typed.promise
            await route.continue()
          })
          await field.fill("Tim")
          await page.keyboard.press("Enter")
          await page.keyboard.type("othy")
          typed.resolve()
          await page.getByRole("button", { name: "You: Tim", exact: true }).waitFor()
          return field.inputValue()
        })
        assert.strictEqual(kept, "Timothy")
      })
    )

    it.effect("A theme is shown at once, from the first frame of the next page on, and is gone with the person", () =>
      Effect.gen(function* () {
        const page = yield* enterAs("theme@example.com", "editor")
        const themeOf = () =>
          page.evaluate<string>(
            "getComputedStyle(document.documentElement).colorScheme + getComputedStyle(document.body).backgroundColor"
          )
        const chooseTheme = async (theme: string) => {
          await choose(page, "Theme", theme)
          await page.locator(`html[data-theme=${theme}]`).waitFor()
        }
        yield* Effect.promise(async () => {
          const before = await themeOf()
          await chooseTheme("dark")
          const dark = await themeOf()
          assert.match(dark, /^dark/)
          await chooseTheme("light")
          assert.match(await themeOf(), /^light/)
          await chooseTheme("dark")
          await page.route("**/v1/**", () => new Promise(() => undefined))
          await page.reload()
          await page.locator(".shell[aria-busy=true]").waitFor()
          assert.strictEqual(await themeOf(), dark)
          await endRoute(page, "**/v1/**")
          await page.reload()
          await page.getByRole("button", { name: "You: theme@example.com" }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
          await page.getByLabel("Email").waitFor()
          assert.strictEqual(await themeOf(), before)
        })
      })
    )

    it.effect("Two choices that follow each other are both shown, also where the first is answered late", () =>
      Effect.gen(function* () {
        const page = yield* enterAs("quick@example.com", "editor")
        const clock = page.getByLabel("Clock", { exact: true })
        const sent: Array<string> = []
        yield* Effect.promise(async () => {
          const late = Promise.withResolvers<void>()
          await page.route("**/v1/session/profile", async (route) => {
            const body = route.request().postData()
            if (body !== null) sent.push(body)
            if (body?.includes("theme") !== true) return route.continue()
            const response = await route.fetch()
            await late.promise
            return route.fulfill({ response })
          })
          const first = isSaved(page)
          await page.getByLabel("Theme", { exact: true }).selectOption("dark")
          const second = page.waitForResponse((response) => response.request().postData()?.includes("hours") === true)
          await clock.selectOption("12")
          await page.evaluate("new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(resolve)))")
          if (sent.length === 2) await second
          late.resolve()
          await Promise.all([first, second])
          await page.locator("html[data-theme=dark]").waitFor()
          await page.getByRole("option", { name: /^12 hours/, selected: true }).waitFor({ state: "attached" })
          assert.strictEqual(await clock.inputValue(), "12")
        })
      })
    )

    it.effect("Times are shown and typed in the chosen zone and clock, and weeks begin on the chosen day", () =>
      Effect.gen(function* () {
        const { id } = yield* createPost("Across the date line", { schedule_at: evening.toISOString() })
        const page = yield* enterAs("zone@example.com", "editor")
        yield* Effect.promise(async () => {
          await choose(page, "Time zone", "Asia/Tokyo")
          await choose(page, "Clock", "12")
          await choose(page, "First day of the week", "sunday")
          const { origin } = new URL(page.url())
          await page.goto(`${origin}/?date=${inTokyo.toISOString().slice(0, 10)}`)
          const cell = page.locator(`.calendar-day[data-day="${inTokyo.toISOString().slice(0, 10)}"]`)
          await cell.getByRole("button", { name: /1:30.AM.*Across the date line/ }).waitFor()
          await page.getByText("Asia/Tokyo", { exact: true }).waitFor()
          assert.strictEqual(await page.getByRole("columnheader").first().innerText(), "Sun")
          await page.goto(`${origin}/compose?post=${id}`)
          await page.getByRole("button", { name: /1:30.AM/ }).click()
          const dialog = page.getByRole("dialog")
          assert.strictEqual(await dialog.getByLabel("Day").inputValue(), inTokyo.toISOString().slice(0, 10))
          assert.strictEqual(await dialog.getByLabel("Time", { exact: true }).inputValue(), "1:30 AM")
        })
      })
    )

    it.effect("Another password needs the current one, and ends the other sessions, which the list shows", () =>
      Effect.gen(function* () {
        const page = yield* enterAs("password@example.com", "editor")
        const { page: open } = yield* Browser
        const { url } = yield* Dashboard
        const other = yield* open()
        yield* Effect.promise(async () => {
          await other.goto(`${url}/login`)
          await other.getByLabel("Email").fill("password@example.com")
          await other.getByLabel("Password", { exact: true }).fill(password)
          await other.keyboard.press("Enter")
          await other.getByRole("navigation", { name: "Pages" }).waitFor()
          await page.reload()
          const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem")
          await sessions.nth(1).waitFor()
          assert.match(await sessions.first().innerText(), /Chrome on Linux \(this one\)/)
          await page.getByLabel("Current password").fill("something else entirely")
          await page.getByLabel("New password").fill("another long sentence")
          await page.keyboard.press("Enter")
          await page.getByText("This is not the current password").waitFor()
          await page.getByLabel("Current password").fill(password)
          await page.getByRole("button", { name: "Change the password" }).click()
          await page.getByText("Your password was changed").waitFor()
          await sessions.nth(1).waitFor({ state: "detached" })
          await other.reload()
          await other.getByLabel("Email").waitFor()
        })
      })
    )

    it.effect("Another session is ended from the list, and all others at once", () =>
      Effect.gen(function* () {
        const page = yield* enterAs("sessions@example.com", "editor")
        const { url } = yield* Dashboard
        const logIn = () =>
          fetch(`${url}/v1/session`, {
            method: "POST",
            headers: { "content-type": "application/json", origin: url, "user-agent": "curl/8.16.0" },
            body: JSON.stringify({ email: "sessions@example.com", password })
          })
        yield* Effect.promise(async () => {
          await logIn()
          await page.reload()
          await page.getByRole("button", { name: "End the session with curl" }).click()
          await page.getByText("The session with curl has ended").waitFor()
          await logIn()
          await logIn()
          await page.reload()
          await page.getByRole("button", { name: "End all others" }).click()
          await page.getByText("2 sessions have ended").waitFor()
          const left = page.getByRole("list", { name: "Sessions" }).getByRole("listitem")
          await left.nth(1).waitFor({ state: "detached" })
          assert.strictEqual(await left.count(), 1)
        })
      })
    )
  })
})
