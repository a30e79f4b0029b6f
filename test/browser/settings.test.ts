import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findFaults, findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { routeOnce } from "./routes.ts"

const listPosts = (url: string, key: string) =>
  fetch(`${url}/v1/posts`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status)

describe.skipIf(!canRunBrowser)("The dashboard's settings, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect("A key that an admin creates works at once, and is refused after it was revoked", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/settings/keys")
        const secret = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New key" }).click()
          await page.getByLabel("Name", { exact: true }).fill("Release bot")
          await page.keyboard.press("Enter")
          return page.getByRole("group", { name: "API key" }).getByRole("code").textContent()
        })
        assert.strictEqual(yield* Effect.promise(() => listPosts(url, secret ?? "")), 200)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Done" }).click()
          await page.getByRole("button", { name: "Actions for Release bot" }).click()
          await page.getByRole("menuitem", { name: "Revoke" }).click()
          await page.getByRole("button", { name: "Revoke" }).click()
          await page.getByText("Revoked Release bot").waitFor()
        })
        assert.strictEqual(yield* Effect.promise(() => listPosts(url, secret ?? "")), 401)
      })
    )

    it.effect("A key whose posts a person approves is not offered to publish, and is not said to", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/keys")
        const [offers, words] = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New key" }).click()
          await page.getByLabel("Name").fill("An agent")
          await page.getByRole("checkbox", { name: "Publish and approve posts" }).waitFor()
          await page.getByRole("checkbox", { name: "A person approves its posts" }).check()
          const offered = await page.getByRole("checkbox", { name: "Publish and approve posts" }).count()
          await page.getByRole("button", { name: "Create" }).click()
          await page.getByRole("button", { name: "Done" }).click()
          return [offered, await page.getByRole("listitem").filter({ hasText: "An agent" }).innerText()]
        })
        assert.strictEqual(offers, 0)
        assert.include(String(words), "a person approves its posts")
        assert.include(String(words), "May do everything but publish and approve posts, ")
      })
    )

    it.effect("A list that is being loaded while it changes shows the change", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/keys")
        const offers = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New key" }).first().waitFor()
          const { promise: isMade, resolve: onMade } = Promise.withResolvers<void>()
          const { promise: isAsked, resolve: onAsked } = Promise.withResolvers<void>()
          await routeOnce(page, "**/v1/keys", async (route) => {
            const response = await route.fetch()
            onAsked()
            await isMade
            await route.fulfill({ response })
          })
          await page.evaluate("window.dispatchEvent(new Event('online'))")
          await isAsked
          await page.getByRole("button", { name: "New key" }).first().click()
          await page.getByLabel("Name", { exact: true }).fill("Meanwhile")
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Done" }).click()
          const isAnswered = page.waitForResponse("**/v1/keys")
          onMade()
          await isAnswered
          await page.getByRole("button", { name: "Actions for Meanwhile" }).click()
          return page.getByRole("menuitem").allInnerTexts()
        })
        assert.include(offers, "Revoke")
      })
    )

    it.effect("A key that was replaced says until when it works, and is not offered to be replaced again", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/keys")
        const offers = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New key" }).first().click()
          await page.getByLabel("Name", { exact: true }).fill("Nightly")
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Done" }).click()
          await page.getByRole("button", { name: "Actions for Nightly" }).click()
          await page.getByRole("menuitem", { name: "Replace" }).click()
          await page.getByRole("button", { name: "Replace it" }).click()
          await page.getByRole("button", { name: "Done" }).click()
          const replaced = page.getByRole("listitem").filter({ hasText: "Replaced, works until" })
          await replaced.getByRole("button", { name: "Actions for Nightly" }).click()
          return page.getByRole("menuitem").allInnerTexts()
        })
        assert.deepStrictEqual(offers, ["Revoke"])
      })
    )

    it.effect(
      "Whoever is invited chooses a password, or logs in where they have one, for which a session is enough",
      () =>
        Effect.gen(function* () {
          const { url } = yield* Dashboard
          const page = yield* enter("/accounts")
          const sent: Array<unknown> = []
          const refusals = [
            { status: 401, json: { code: "unauthorized", detail: "The email address or the password is wrong" } },
            { status: 403, json: { code: "login_required", detail: "Log in first" } }
          ]
          const violations = yield* Effect.promise(async () => {
            const invite = { email: "ada@example.com", role: "editor", workspace_name: "Acme", has_user: false }
            await page.route("**/v1/invites/read", (route) => route.fulfill({ json: { data: invite } }))
            await page.route("**/v1/invites/accept", (route) => {
              const body: unknown = route.request().postDataJSON()
              sent.push(body)
              return route.fulfill(refusals[sent.length - 1] ?? { json: {} })
            })
            await page.goto(`${url}/invite#secret`)
            await page.getByLabel("Choose a password").fill("a password that I like")
            await page.keyboard.press("Enter")
            await page.getByText("This address has another password here. Log in with that one.").waitFor()
            const found = await findFaults(page)
            await page.getByRole("button", { name: "I have a password here: log in" }).click()
            await page.getByRole("button", { name: "Log in and join" }).click()
            await page.getByLabel("Your password").fill("correct horse battery")
            await page.keyboard.press("Enter")
            await page.waitForURL(`${url}/`)
            return found
          })
          assert.deepStrictEqual(violations, [])
          assert.deepStrictEqual(sent, [
            { token: "secret", password: "a password that I like" },
            { token: "secret" },
            { token: "secret", password: "correct horse battery" }
          ])
        })
    )

    it.effect("What an admin made names them, and their keys are shown and may be revoked when they are removed", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/settings/members")
        const other = yield* (yield* Browser).page()
        const faults = yield* Effect.promise(async () => {
          const email = "maker@example.com"
          const headers = { origin: url }
          const post = async (of: typeof page, path: string, data: object) =>
            (await of.context().request.post(`${url}${path}`, { headers, data })).json()
          const invited = await post(page, "/v1/invites", { email, role: "admin" })
          const token = new URL(invited.url).hash.slice(1)
          await post(other, "/v1/invites/accept", { token, password: "correct horse battery" })
          const { secret } = await post(other, "/v1/keys", { name: "Their key" })
          await post(other, "/v1/invites", { email: "waits@example.com", role: "viewer" })
          const { data: webhook } = await post(other, "/v1/webhooks", { url: "https://127.0.0.1:8/theirs" })
          for (const [path, row] of [
            ["webhooks", "https://127.0.0.1:8/…"],
            ["keys", "Their key"]
          ] as const) {
            await page.goto(`${url}/settings/${path}`)
            await page.getByRole("listitem").filter({ hasText: row }).getByText(`Made by ${email}`).waitFor()
          }
          await page.context().request.delete(`${url}/v1/webhooks/${webhook.id}`, { headers })
          await page.goto(`${url}/settings/members`)
          await page.getByText(`invited by ${email}`).waitFor()
          await page.getByRole("button", { name: `Remove ${email}` }).click()
          await page.getByRole("list", { name: "Keys" }).getByText("Their key").waitFor()
          const found = await findFaults(page)
          await page.getByLabel("Revoke this key as well").check()
          await page.getByRole("button", { name: "Remove", exact: true }).click()
          await page.getByText(`Removed ${email}, and revoked 1 key`).waitFor()
          assert.strictEqual(await listPosts(url, secret), 401)
          return found
        })
        assert.deepStrictEqual(faults, [])
      })
    )

    it.effect(
      "A webhook keeps the URL that its dialog shows shortened, and shows the delivery of its test with the request",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/settings/webhooks")
          const request = yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "New webhook" }).click()
            await page.getByLabel("URL").fill("https://127.0.0.1:9/hooks")
            await page.keyboard.press("Enter")
            await page.getByRole("button", { name: "Done" }).click()
            await page.getByRole("button", { name: "Actions for https://127.0.0.1:9/…" }).click()
            await page.getByRole("menuitem", { name: "Edit" }).click()
            await page.getByLabel("What it is for").fill("Tells the newsroom")
            await page.getByRole("button", { name: "Save" }).click()
            await page.getByText("Tells the newsroom").waitFor()
            await page.getByRole("button", { name: "Actions for https://127.0.0.1:9/…" }).click()
            await page.getByRole("menuitem", { name: "Send a test" }).click()
            await page.getByRole("button", { name: "See its delivery" }).click()
            await page.locator(".delivery summary").first().click()
            return page.locator(".delivery pre").first().textContent()
          })
          assert.include(request, "POST https://127.0.0.1:9/…\n")
          const payload: unknown = JSON.parse(request?.split("\n\n")[1] ?? "")
          assert.hasAllKeys(payload, ["type", "timestamp", "data"])
          assert.nestedPropertyVal(payload, "type", "webhook.test")
          // No server listens at this address.
          yield* Effect.promise(() => page.locator(".delivery summary").getByText("Failed, tried again").waitFor())
        })
    )

    it.effect(
      "A person who accepts an invitation as viewer sees no way to change anything, until the role changes",
      () =>
        Effect.gen(function* () {
          const { page: open } = yield* Browser
          const admin = yield* enter("/settings/members")
          const link = yield* Effect.promise(async () => {
            await admin.getByRole("button", { name: "Invite" }).click()
            await admin.getByLabel("Email").fill("grace@example.com")
            await admin.getByLabel("Role", { exact: true }).selectOption("viewer")
            await admin.getByRole("button", { name: "Make the link" }).click()
            return admin.getByRole("group", { name: "Link of the invitation" }).getByRole("code").textContent()
          })
          const person = yield* open()
          const offers = yield* Effect.promise(async () => {
            await person.goto(link ?? "")
            await person.getByLabel("Choose a password").fill("correct horse battery")
            await person.getByRole("button", { name: "Join" }).click()
            await person.getByRole("link", { name: "Accounts" }).click()
            await person.getByText("Connected", { exact: true }).first().waitFor()
            return [
              await person.getByRole("link", { name: "New post" }).count(),
              await person.getByRole("button", { name: /connect/i }).count()
            ]
          })
          assert.deepStrictEqual(offers, [0, 0])
          yield* Effect.promise(async () => {
            await admin.getByRole("button", { name: "Done" }).click()
            await admin.reload()
            await admin.getByLabel("Role of grace@example.com").selectOption("editor")
            await admin.getByText("grace@example.com is now editor").waitFor()
            await person.reload()
          })
          const newPost = person.getByRole("link", { name: "New post" })
          yield* Effect.promise(() => newPost.waitFor())
          assert.isTrue(yield* Effect.promise(() => newPost.isVisible()))
        })
    )

    it.effect("The last admin can't become a viewer, and is told what to do first", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/members")
        const role = page.getByLabel("Role of demo@sandbox.test")
        const message = page.getByText("make somebody else an admin first")
        yield* Effect.promise(async () => {
          await role.selectOption("viewer")
          await message.waitFor()
        })
        assert.strictEqual(yield* Effect.promise(() => role.inputValue()), "admin")
      })
    )

    it.effect(
      "Neither Escape nor a click beside it closes a dialog in which something was typed or a secret is shown",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/settings/keys")
          const shown = yield* Effect.promise(async () => {
            const leave = async () => {
              await page.keyboard.press("Escape")
              await page.mouse.click(4, 4)
              await page.keyboard.press("Escape")
              await page.keyboard.press("Escape")
              return page.locator("dialog[open] h2").allInnerTexts()
            }
            await page.getByRole("button", { name: "New key" }).first().click()
            await page.getByLabel("Name").fill("Release bot")
            const whileTyping = await leave()
            await page.getByRole("button", { name: "Create" }).click()
            await page.getByRole("button", { name: "Done" }).waitFor()
            const withSecret = await leave()
            await page.getByRole("button", { name: "Done" }).click()
            await page.getByRole("button", { name: "New key" }).first().click()
            await leave()
            await page.locator("dialog[open]").waitFor({ state: "hidden" })
            return [whileTyping, withSecret]
          })
          assert.deepStrictEqual(shown, [["New API key"], ["API key"]])
        })
    )

    it.effect("A dialog has the keys that are pressed right after the click that opens it", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/keys")
        const isFocused = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "New key" }).first().waitFor()
          return page.evaluate<boolean>(`(async () => {
            Array.from(document.querySelectorAll("button")).find(({ textContent }) => textContent === "New key").click()
            // After this, the dialog is rendered, but no frame has been drawn.
            await Promise.resolve()
            return document.activeElement.closest("dialog[open]") !== null
          })()`)
        })
        assert.isTrue(isFocused)
      })
    )

    it.effect("Everybody can use the settings in both color schemes", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/keys")
        const problems: Array<string> = []
        for (const [place, action] of [
          ["API keys", "New key"],
          ["Webhooks", "New webhook"],
          ["Members", "Invite"]
        ] as const) {
          yield* Effect.promise(async () => {
            await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: place }).click()
            await page.getByRole("button", { name: action }).first().waitFor()
          })
          problems.push(...(yield* Effect.promise(() => findFaultsInBothSchemes(page))))
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: action }).first().click()
            await page.getByRole("dialog").waitFor()
          })
          problems.push(...(yield* Effect.promise(() => findFaultsInBothSchemes(page))))
          yield* Effect.promise(() => page.keyboard.press("Escape"))
        }
        assert.deepStrictEqual(problems, [])
      })
    )
  })
})
