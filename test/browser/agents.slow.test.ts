import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keyHeaders, sendJson } from "../support/http/client.ts"
import { findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"

const asKey = (url: string, secret: string, method: string, path: string, body?: unknown) =>
  sendJson(`${url}/v1${path}`, method, keyHeaders(secret), body)

const inAWeek = () => new Date(Date.now() + 604_800_000).toISOString()

describe.skipIf(!canRunBrowser)("The dashboard's agents, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect(
      "An agent that is connected by keyboard drafts, is seen to have asked, and is refused once it is revoked",
      () =>
        Effect.gen(function* () {
          const { url } = yield* Dashboard
          const page = yield* enter("/settings/agents")
          const secret = yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Connect an agent" }).focus()
            await page.keyboard.press("Enter")
            await page.getByRole("dialog").waitFor()
            await page.keyboard.press("ControlOrMeta+a")
            await page.keyboard.type("Drafting agent")
            await page.keyboard.press("Enter")
            return (await page.getByRole("group", { name: "API key" }).getByRole("code").textContent()) ?? ""
          })
          const me = yield* asKey(url, secret, "GET", "/me")
          assert.deepStrictEqual(me.body.data.caller.scopes, [
            "posts:read",
            "posts:write",
            "integrations:read",
            "notifications:read"
          ])
          assert.isTrue(me.body.data.caller.requires_approval)
          const where = yield* Effect.promise(() => page.getByRole("tabpanel").innerText())
          assert.include(where, "in a terminal. Its history then contains the key")
          const setups = yield* Effect.promise(async () => {
            const text = page.getByRole("group", { name: "What to paste" }).getByRole("code")
            const read: Array<string> = []
            await page.getByRole("tab", { name: "Claude Code" }).focus()
            for (const name of ["Claude Code", "Cursor", "VS Code", "stdio"]) {
              await page.getByRole("tab", { name, selected: true }).waitFor()
              read.push((await text.textContent()) ?? "")
              await page.keyboard.press("ArrowRight")
            }
            return read
          })
          for (const setup of setups) assert.include(setup, secret)
          assert.include(
            setups[0],
            `claude mcp add --transport http social-publisher ${url}/mcp --header "Authorization: Bearer ${secret}"`
          )
          const draft = { content: "By an agent", platforms: ["bluesky"], schedule_at: inAWeek() }
          const created = yield* asKey(url, secret, "POST", "/posts", draft)
          assert.deepStrictEqual([created.status, created.body.status], [201, "draft"])
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Done" }).click()
            await page.getByRole("button", { name: "Activity of Drafting agent" }).click()
            const asked = page
              .getByRole("list", { name: "Activity of Drafting agent" })
              .getByRole("link", { name: "Approval was requested" })
            await asked.waitFor()
            assert.strictEqual(await asked.getAttribute("href"), `/posts/${created.body.id}`)
            await page.getByRole("button", { name: "Revoke Drafting agent" }).click()
            await page.getByRole("button", { name: "Revoke", exact: true }).click()
            await page.getByText("Revoked Drafting agent").waitFor()
            await page.getByText("Drafting agent", { exact: true }).waitFor({ state: "detached" })
          })
          const refused = yield* asKey(url, secret, "GET", "/me")
          assert.strictEqual(refused.status, 401)
        })
    )

    it.effect("What an agent may do is told as it is, with approval and without", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/settings/agents")
        const connect = (approves: boolean) =>
          Effect.promise(async () => {
            await page.getByRole("button", { name: "Connect an agent" }).click()
            await page.getByRole("checkbox", { name: "A person approves its posts" }).setChecked(approves)
            const told = await page.getByRole("dialog").innerText()
            await page.getByRole("button", { name: "Connect", exact: true }).click()
            const secret = await page.getByRole("group", { name: "API key" }).getByRole("code").textContent()
            await page.getByRole("button", { name: "Done" }).click()
            return { told, secret: secret ?? "" }
          })
        const bound = yield* connect(true)
        const free = yield* connect(false)
        const draft = (secret: string, schedule_at?: string) =>
          asKey(url, secret, "POST", "/posts", { content: "Hello", platforms: ["bluesky"], schedule_at })
        const remove = (secret: string, id: string) => asKey(url, secret, "DELETE", `/posts/${id}`)

        assert.include(bound.told, "It changes and deletes only drafts of its own. It can’t publish")
        const others = (yield* draft(free.secret)).body.id
        assert.strictEqual((yield* remove(bound.secret, others)).status, 403)
        const asked = yield* draft(bound.secret, new Date().toISOString())
        assert.strictEqual(asked.body.status, "draft")

        assert.include(free.told, "It can schedule posts for now, and change and delete anybody’s.")
        const now = yield* draft(free.secret, new Date().toISOString())
        assert.strictEqual(now.body.status, "scheduled")
        assert.strictEqual((yield* remove(free.secret, asked.body.id)).status, 200)
        for (const { secret } of [bound, free]) {
          const me = yield* asKey(url, secret, "GET", "/me")
          assert.notInclude(me.body.data.caller.scopes, "integrations:write")
        }
      })
    )

    it.effect("Each button that copies names what it copies, also once it has", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/agents")
        const names = yield* Effect.promise(async () => {
          await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
          await page.getByRole("button", { name: "Connect an agent" }).click()
          await page.getByRole("button", { name: "Connect", exact: true }).click()
          await page.getByRole("button", { name: "Copy: API key", exact: true }).click()
          await page.getByRole("button", { name: "Copied: API key", exact: true }).waitFor()
          await page.getByRole("button", { name: "Copy: What to paste", exact: true }).waitFor()
          return page.getByRole("dialog").getByRole("button").allInnerTexts()
        })
        assert.includeMembers(names, ["Copied", "Copy"])
      })
    )

    it.effect("Adding media is chosen, and other keys are not among the agents", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/settings/agents")
        const secret = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Connect an agent" }).click()
          await page.getByLabel("Name", { exact: true }).fill("Agent with pictures")
          await page.getByRole("checkbox", { name: "It may add media" }).check()
          await page.getByRole("button", { name: "Connect", exact: true }).click()
          const made = await page.getByRole("group", { name: "API key" }).getByRole("code").textContent()
          await page.getByRole("button", { name: "Done" }).click()
          return made ?? ""
        })
        const me = yield* asKey(url, secret, "GET", "/me")
        assert.include(me.body.data.caller.scopes, "media:write")
        const agents = yield* Effect.promise(async () => {
          const list = page.getByRole("list", { name: "Agents" })
          await list.getByText("Agent with pictures").waitFor()
          return list.innerText()
        })
        assert.notInclude(agents, "Demo")
      })
    )

    it.effect("An answer that is lost says that an agent may be connected, which the list then has to be revoked", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/agents")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Connect an agent" }).click()
          await page.getByLabel("Name", { exact: true }).fill("Unseen agent")
          await page.route("**/v1/keys", async (route) => {
            if (route.request().method() !== "POST") return route.continue()
            await route.fetch()
            return route.abort()
          })
          await page.getByRole("button", { name: "Connect", exact: true }).click()
          await page
            .getByRole("dialog")
            .getByText("an agent may have been connected whose key nobody has seen")
            .waitFor()
          await page.getByRole("button", { name: "Cancel" }).click()
          await page.getByRole("button", { name: "Revoke Unseen agent" }).click()
          await page.getByRole("button", { name: "Revoke", exact: true }).click()
          await page.getByText("Revoked Unseen agent").waitFor()
        })
      })
    )

    it.effect("A connection that is lost keeps what was typed and says so", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/agents")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Connect an agent" }).click()
          await page.getByLabel("Name", { exact: true }).fill("Offline agent")
          await page.route("**/v1/keys", (route) => route.abort())
          await page.getByRole("button", { name: "Connect", exact: true }).click()
          await page.getByRole("dialog").getByRole("alert").waitFor()
        })
        const name = yield* Effect.promise(() => page.getByLabel("Name", { exact: true }).inputValue())
        assert.strictEqual(name, "Offline agent")
      })
    )

    it.effect("Everybody can connect an agent in both color schemes", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/agents")
        const problems = yield* Effect.promise(async () => {
          const found: Array<string> = []
          await page.getByRole("button", { name: "Connect an agent" }).click()
          await page.getByRole("dialog").waitFor()
          found.push(...(await findFaultsInBothSchemes(page)))
          await page.keyboard.press("Enter")
          await page.getByRole("tab", { name: "Cursor" }).click()
          found.push(...(await findFaultsInBothSchemes(page)))
          await page.getByRole("button", { name: "Done" }).click()
          await page.getByRole("button", { name: "Activity of My agent" }).first().click()
          await page.getByText("in the last 90 days").waitFor()
          found.push(...(await findFaultsInBothSchemes(page)))
          return found
        })
        assert.deepStrictEqual(problems, [])
      })
    )
  })
})
