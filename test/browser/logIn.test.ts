import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

describe.skipIf(!canRunBrowser)("The dashboard's log-in, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A person who opens a page without a session is asked to log in", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          // The first requested endpoint does not matter, because without a session all endpoints give the same
          // response.
          await page.route("**/v1/me", (route) => route.continue({ url: `${url}/v1/notifications` }))
          await page.goto(`${url}/approvals?order=asc`)
          await page.getByRole("heading", { name: "Log in" }).waitFor()
        })
        assert.strictEqual(page.url(), `${url}/login?next=%2Fapprovals%3Forder%3Dasc`)
      })
    )

    it.effect("A person whose session has ended is told so at the log-in, and one who logged out is not", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/posts")
        const explanations = yield* Effect.promise(async () => {
          const explanation = page.getByText("Your session has ended")
          await page.context().clearCookies()
          // The page reloads its data.
          await page.evaluate("window.dispatchEvent(new Event('online'))")
          await explanation.waitFor()
          await page.goto(`${url}/posts`)
          await explanation.waitFor()
          await page.getByRole("button", { name: "Continue as demo" }).click()
          await page.getByRole("button", { name: /^You: / }).click()
          await page.getByRole("menuitem", { name: "Log out" }).click()
          await page.getByRole("heading", { name: "Log in" }).waitFor()
          const afterLogOut = await explanation.count()
          await page.goto(`${url}/posts`)
          await page.getByRole("heading", { name: "Log in" }).waitFor()
          return [afterLogOut, await explanation.count()]
        })
        assert.deepStrictEqual(explanations, [0, 0])
      })
    )

    it.effect("A wrong password is said in words, and the email address stays", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const [message, email] = yield* Effect.promise(async () => {
          await page.goto(`${url}/login`)
          await page.getByLabel("Email").fill("ada@example.com")
          await page.getByLabel("Password", { exact: true }).fill("not the password")
          await page.getByRole("button", { name: "Log in" }).click()
          return [await page.getByRole("alert").textContent(), await page.getByLabel("Email").inputValue()]
        })
        assert.strictEqual(message, "The email address or the password is wrong.")
        assert.strictEqual(email, "ada@example.com")
      })
    )

    it.effect.each([
      { code: "unauthorized", status: 401, words: "The email address or the password is wrong.", left: "" },
      {
        code: "no_workspace",
        status: 403,
        words: "You are not a member of any workspace. Ask an admin for an invitation.",
        left: "a password"
      },
      { code: "unavailable", status: 503, words: "The service failed. Try again in a moment.", left: "a password" }
    ])(
      "A log-in that is refused as $code is said in words, whatever the service's own are, and only a wrong password goes",
      ({ code, left, status, words }) =>
        Effect.gen(function* () {
          const { url } = yield* Dashboard
          const { page: open } = yield* Browser
          const page = yield* open()
          const shown = yield* Effect.promise(async () => {
            await page.route("**/v1/session", (route) =>
              route.fulfill({
                status,
                contentType: "application/problem+json",
                body: JSON.stringify({ status, code, detail: "Of each workspace in other words" })
              })
            )
            await page.goto(`${url}/login`)
            await page.getByLabel("Email").fill("ada@example.com")
            const password = page.getByLabel("Password", { exact: true })
            await password.fill("a password")
            await page.getByRole("button", { name: "Log in" }).click()
            return [await page.getByRole("alert").textContent(), await password.inputValue()]
          })
          assert.deepStrictEqual(shown, [words, left])
        })
    )

    it.effect("Another invitation that is opened in the same tab is shown as nothing but itself", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          const read = Promise.withResolvers<void>()
          await page.route("**/v1/invites/read", async (route) => {
            const isFirst = route.request().postData()?.includes("first") === true
            if (!isFirst) await read.promise
            const workspace_name = isFirst ? "Acme" : "Another team"
            await route.fulfill({ json: { data: { email: "ada@example.com", role: "editor", workspace_name } } })
          })
          await page.goto(`${url}/invite#first`)
          await page.getByLabel("Choose a password").fill("a password for Acme")
          await page.goto(`${url}/invite#second`)
          await page.getByRole("heading", { name: "Join Acme" }).waitFor({ state: "detached" })
          read.resolve()
          await page.getByRole("heading", { name: "Join Another team" }).waitFor()
          assert.strictEqual(await page.getByLabel("Choose a password").inputValue(), "")
        })
      })
    )

    it.effect.each([
      ["/login", "Log in"],
      ["/invite", "Invitation"]
    ] as const)("Everybody can use the page %s in both color schemes", ([path, name]) =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const faults = yield* Effect.promise(async () => {
          await page.goto(`${url}${path}`)
          await page.getByRole("heading", { name }).waitFor()
          return findFaultsInBothSchemes(page)
        })
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
