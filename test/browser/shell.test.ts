import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Role, roleScopes } from "../../src/domain/people/role.ts"
import type { Page, Route } from "playwright-core"
import { Browser, type PageOptions } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter as enterAsDemo, openAsDemo } from "./enter.ts"
import { pressTogether } from "./posts.ts"
import { endRoute } from "./routes.ts"

/** The response of `/v1/me` for a person with a role. */
const meAs = (role: Role, workspace = { id: "1", name: "Demo" }) => ({
  data: {
    workspace,
    workspaces: [{ id: "1", name: "Demo", role }],
    caller: { type: "user", id: "1", email: "ada@example.com", role, scopes: roleScopes(role) },
    rate_limit: { limit: 300, window_seconds: 60 },
    publishing: { held_since: null },
    platforms: "sandbox"
  }
})

/** The service's response to a person who has reached the rate limit. */
const tooMany = {
  status: 429,
  headers: { "retry-after": "40", ratelimit: '"workspace";r=0;t=40, "person";r=0;t=40' },
  json: { code: "rate_limited", detail: "One person may send 300 requests a minute" }
}

const answerAs = (role: Role) => (page: Page) => page.route("**/v1/me", (route) => route.fulfill({ json: meAs(role) }))

/** A page at a path, with a session with the rights of a role. */
const enter = (path: string, role: Role, options?: PageOptions) => enterAsDemo(path, options, answerAs(role))

/** Continues as demo, an admin, on the log-in page, which then opens a path. */
const logIn = Effect.fn("logIn")(function* (path: string) {
  const { url } = yield* Dashboard
  const { page: open } = yield* Browser
  const page = yield* open()
  yield* Effect.promise(async () => {
    await answerAs("admin")(page)
    await page.goto(`${url}/login?next=${encodeURIComponent(path)}`)
    await page.getByRole("button", { name: "Continue as demo" }).click()
    await page.getByRole("navigation").waitFor()
  })
  return page
})

describe.skipIf(!canRunBrowser)("The dashboard's shell, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("After log-in a person gets to the page that they were going to", () =>
      Effect.gen(function* () {
        const page = yield* logIn("/notifications?from=mail#latest")
        assert.include(page.url(), "/notifications?from=mail#latest")
      })
    )

    it.effect.each(["https://attacker.example/", "//attacker.example/", "/\\attacker.example", "javascript:alert(1)"])(
      "Log-in never leads to %s",
      (target) =>
        Effect.gen(function* () {
          const { url } = yield* Dashboard
          const page = yield* logIn(target)
          assert.strictEqual(page.url(), `${url}/`)
        })
    )

    it.effect("A page goes to another by two keys and loads no document", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/", "editor")
        const documents: Array<string> = []
        page.on("request", (request) => {
          if (request.resourceType() === "document") documents.push(request.url())
        })
        yield* Effect.promise(async () => {
          await pressTogether(page, "gp")
          await page.waitForURL(`${url}/posts`)
          await page.getByRole("heading", { level: 1, name: "Posts" }).waitFor()
        })
        assert.deepStrictEqual(documents, [])
      })
    )

    it.effect("A page has its shortcuts as soon as it is shown", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        yield* Effect.promise(async () => {
          // Sends two keys right after the rendering, before a frame is drawn.
          await page.addInitScript(`new MutationObserver((_, observer) => {
            if (document.querySelector("nav") === null) return
            observer.disconnect()
            for (const key of ["g", "p"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))
          }).observe(document, { childList: true, subtree: true })`)
          await openAsDemo(page, url, "/")
          await page.getByRole("heading", { level: 1, name: "Posts" }).waitFor()
        })
        assert.strictEqual(page.url(), `${url}/posts`)
      })
    )

    it.effect("A page of something between browser and service counts as no connection, not as an answer", () =>
      Effect.gen(function* () {
        const page = yield* enter("/", "editor")
        yield* Effect.promise(async () => {
          await page.route("**/v1/**", (route) =>
            route.fulfill({ contentType: "text/html", body: "<h1>Log in to this network</h1>" })
          )
          await pressTogether(page, "gp")
          await page.getByText("The service can’t be reached. What you type is kept.").waitFor()
          // The page might reload its data before the click, so the button is pressed while requests still fail.
          const again = page.waitForRequest("**/v1/posts?*")
          await page.getByRole("button", { name: "Retry" }).click()
          await again
          await endRoute(page, "**/v1/**")
          await page.evaluate('window.dispatchEvent(new Event("online"))')
          await page.getByText("The service can’t be reached.").first().waitFor({ state: "detached" })
        })
        assert.include(page.url(), "/posts")
      })
    )

    it.effect(
      "What could not be loaded is loaded again when another response shows that the service can be reached",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/", "editor")
          yield* Effect.promise(async () => {
            const fail = (route: Route) => route.abort("connectionfailed")
            await page.route("**/v1/posts?*", fail)
            await pressTogether(page, "gp")
            await page.getByText("The service can’t be reached. Check the connection").waitFor()

            const isAnswered = Promise.withResolvers<void>()
            await page.route("**/v1/notifications?*", async (route) => {
              await isAnswered.promise
              await route.continue()
            })
            const failure = page.waitForEvent("requestfailed", (request) => request.url().includes("/v1/posts?limit"))
            await page.getByRole("button", { name: "Retry" }).click()
            await failure
            await endRoute(page, "**/v1/posts?*", fail)
            isAnswered.resolve()
            await page.getByText("The service can’t be reached.").first().waitFor({ state: "detached" })
          })
        })
    )

    it.effect("Who has sent too many requests keeps the page and what they typed, and all waits together", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/compose", "editor", { ownClock: true })
        const sent: Array<string> = []
        yield* Effect.promise(async () => {
          await page.getByRole("textbox", { name: "Text", exact: true }).fill("Written while requests wait")
          await page.route("**/v1/**", (route) => {
            const request = route.request()
            // The typed text is validated automatically at any time. If this request were refused, the draft would not
            // be sent.
            if (request.url().endsWith("/validate")) return route.continue()
            sent.push(`${request.method()} ${request.url().replace(url, "")}`)
            return route.fulfill(tooMany)
          })
          const save = page.getByRole("button", { name: "Save draft" })
          const bar = page.getByText("This page continues by itself")
          await save.click()
          await bar.waitFor()
          const refusal = page.getByText(
            /Nothing was changed: you have sent too many requests. Try again in \d+ seconds/
          )
          await refusal.first().waitFor()
          await save.click()
          const places = page.getByRole("navigation", { name: "Pages" })
          for (const name of ["Notifications", "Approvals", "Accounts", "Posts", "Calendar"]) {
            await places.getByRole("link", { name }).click()
            await page.getByRole("heading", { level: 1, name }).waitFor()
            assert.strictEqual(await page.getByRole("alert").count(), 0)
          }
          assert.isTrue(await bar.isVisible())
          assert.deepStrictEqual(sent, ["POST /v1/posts"])
          await endRoute(page, "**/v1/**")
          await page.route("**/v1/me", (route) => route.fulfill({ json: meAs("editor") }))
          await page.clock.fastForward(40_000)
          await bar.waitFor({ state: "detached" })
          await page.getByRole("link", { name: "New post" }).first().click()
          await page.getByText("Written while requests wait").first().waitFor()
          await save.click()
          await page.getByText("Saved as a draft").waitFor()
        })
      })
    )

    it.effect("Who has sent too many requests before the dashboard is loaded sees it as soon as the wait is over", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open({ ownClock: true })
        yield* Effect.promise(async () => {
          await page.route("**/v1/me", (route) => route.fulfill(tooMany))
          await page.context().request.post(`${url}/sandbox/session`, { headers: { origin: url } })
          await page.goto(url)
          await page.getByText("This page continues by itself").waitFor()
          await endRoute(page, "**/v1/me")
          await page.clock.fastForward(40_000)
          await page.getByRole("navigation", { name: "Pages" }).waitFor()
        })
      })
    )

    it.effect("What a viewer can't do is not offered to them", () =>
      Effect.gen(function* () {
        const page = yield* enter("/compose", "viewer")
        const [title, offers] = yield* Effect.promise(async () => [
          await page.getByRole("heading", { level: 1 }).textContent(),
          await page.getByRole("link", { name: "New post" }).count()
        ])
        assert.strictEqual(title, "Your role has no access to this page")
        assert.strictEqual(offers, 0)
      })
    )

    it.effect("What is written in one workspace is neither shown nor saved in one that another tab went on to", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/compose", "admin")
        const saved: Array<string> = []
        page.on("request", (request) => {
          if (request.method() === "POST" && request.url() === `${url}/v1/posts`) saved.push(request.url())
        })
        const demo = { id: "1", name: "Demo" }
        const other = { id: "2", name: "Another team" }
        const goOnTo = async (workspace: typeof demo) => {
          await endRoute(page, "**/v1/me")
          await endRoute(page.context(), "**/v1/me")
          await page.context().route("**/v1/me", (route) => route.fulfill({ json: meAs("admin", workspace) }))
          const tab = await page.context().newPage()
          await tab.goto(url)
          // An account's preview might show the same name, so the test reads only the top bar.
          for (const shown of [tab, page]) {
            await shown.getByRole("banner").getByText(workspace.name, { exact: true }).waitFor()
          }
          await tab.close()
        }
        const texts = yield* Effect.promise(async () => {
          const text = page.getByRole("textbox", { name: "Text", exact: true })
          await text.fill("Of the first workspace")
          await goOnTo(other)
          const elsewhere = await text.inputValue()
          await goOnTo(demo)
          const back = await text.inputValue()
          const save = page.getByRole("button", { name: "Save draft" })
          await save.click({ trial: true })
          const reload = page.waitForEvent("load")
          // Both steps run in one task, as in a tab that was frozen. A response of /v1/me between them would report the
          // other session.
          await page.evaluate(`
            localStorage.setItem("session", "another person in another workspace")
            Array.from(document.querySelectorAll("button")).find(({ textContent }) => textContent === "Save draft").click()
          `)
          await reload
          return [elsewhere, back]
        })
        assert.deepStrictEqual([texts, saved], [["", "Of the first workspace"], []])
      })
    )

    it.effect("The console of the browser stays empty on the main pages", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const { page: open } = yield* Browser
        const page = yield* open()
        const messages: Array<string> = []
        page.on("console", (message) => messages.push(`${message.text()} ${message.location().url}`))
        page.on("pageerror", (error) => messages.push(error.message))
        yield* Effect.promise(async () => {
          await openAsDemo(page, url, "/")
          for (const path of ["/", "/posts", "/approvals", "/notifications", "/settings", "/accounts", "/compose"]) {
            await page.goto(`${url}${path}`)
            await page.getByRole("heading", { level: 1 }).first().waitFor()
            await page.waitForLoadState("networkidle")
          }
        })
        assert.deepStrictEqual(messages, [])
      })
    )

    it.effect.each(["light", "dark"] as const)(
      "At 360 px in the %s scheme nothing has to be scrolled sideways",
      (colorScheme) =>
        Effect.gen(function* () {
          const page = yield* enter("/", "admin", { colorScheme, touch: true, width: 360 })
          const width = yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth"))
          assert.strictEqual(width, 360)
        })
    )
  })
})
