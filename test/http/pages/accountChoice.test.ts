import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { callbackPath } from "../../../src/platforms/AccountLinking.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { send } from "../../support/http/client.ts"
import { baseUrl } from "../../support/http/server.ts"
import { makeMember, makeSession } from "../../support/http/team.ts"
import { accountWorld, makeAccountCaller } from "../handlers/accountWorld.ts"

type Caller = Effect.Success<ReturnType<typeof makeAccountCaller>>

/** Agrees on LinkedIn's page, and returns the URL that LinkedIn sends the browser back to. */
const agree = Effect.fnUntraced(function* ({ url }: Caller, authorizeUrl: string) {
  const query = new URL(authorizeUrl).searchParams
  const redirectUri = `${baseUrl}${callbackPath("linkedin")}`
  assert.strictEqual(query.get("redirect_uri"), redirectUri)
  const code = yield* (yield* Sandbox).consent("linkedin", { redirectUri, challenge: "" })
  return `${url}${callbackPath("linkedin")}?${new URLSearchParams({ state: query.get("state") ?? "", code }).toString()}`
})

const begin = Effect.fnUntraced(function* (caller: Caller) {
  const { body } = yield* caller.call("POST", "/linkedin", {})
  return yield* agree(caller, body.data.authorize_url)
})

/** Submits the form of a page with a choice. */
const choose = ({ cookie, url }: Caller, page: string, choice: string, cookies = cookie) =>
  send(`${url}/oauth/linkedin/choice`, {
    method: "POST",
    redirect: "manual",
    headers: { "sec-fetch-site": "same-origin", ...(cookies === "" ? {} : { cookie: cookies }) },
    body: new URLSearchParams({ token: /name="token" value="([^"]+)"/.exec(page)?.[1] ?? "", choice })
  })

const choices = (page: string) =>
  Array.from(page.matchAll(/<button[^>]* name="choice" value="([^"]+)"[^>]*>([^<]+)</g), ([, value, label]) => [
    value,
    label
  ])

const accountsOf = ({ call }: Caller) =>
  Effect.map(call("GET", ""), ({ body }) =>
    body.data.map(({ account_id, username }: Record<string, string>) => [username, account_id?.replace(/[^:]+$/, "")])
  )

layer(accountWorld)("The choice among the accounts of a consent", (it) => {
  it.effect("A person chooses the profile on a page that has no access, once", () =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller()
      const { status, text } = yield* caller.open(yield* begin(caller))
      assert.strictEqual(status, 200)
      assert.notInclude(text, "more than one account")
      assert.notInclude(text, "@Visitor")
      assert.deepStrictEqual(choices(text), [
        ["0", "Visitor"],
        ["further", "A page that you manage"],
        ["cancel", "Cancel"]
      ])
      assert.deepStrictEqual(yield* accountsOf(caller), [])
      const { headers } = yield* choose(caller, text, "0")
      assert.strictEqual(headers.get("location"), `${baseUrl}/accounts?connected=linkedin`)
      assert.deepStrictEqual(yield* accountsOf(caller), [["Visitor", "urn:li:person:"]])
      assert.strictEqual((yield* choose(caller, text, "0")).status, 400)
    })
  )

  it.effect("A person who chooses a page agrees once more, and chooses among the pages", () =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller()
      const first = yield* caller.open(yield* begin(caller))
      const further = yield* choose(caller, first.text, "further")
      assert.include(further.text, 'instead, <a href="/accounts">begin again')
      const link = (/<a href="([^"]+)">Go on to LinkedIn/.exec(further.text)?.[1] ?? "").replaceAll("&amp;", "&")
      assert.strictEqual(new URL(link).searchParams.get("client_id"), "sandbox-pages")
      const second = yield* caller.open(yield* agree(caller, link))
      assert.include(second.text, "You gave access to more than one account.")
      assert.deepStrictEqual(
        choices(second.text).map(([value]) => value),
        ["0", "1", "cancel"]
      )
      const { headers } = yield* choose(caller, second.text, "1")
      assert.strictEqual(headers.get("location"), `${baseUrl}/accounts?connected=linkedin`)
      assert.deepStrictEqual(yield* accountsOf(caller), [["Visitor-page-jobs", "urn:li:organization:"]])
    })
  )

  it.effect("Only the session that began the connection can choose", () =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller()
      const { text } = yield* caller.open(yield* begin(caller))
      const other = yield* makeMember(caller.workspaceId, "admin")
      const cookie = yield* makeSession(other.id, caller.workspaceId)
      assert.strictEqual((yield* choose(caller, text, "0", cookie)).status, 403)
      assert.deepStrictEqual(yield* accountsOf(caller), [])
    })
  )

  it.effect("A person can cancel, and a form of another site chooses nothing", () =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller()
      const { text } = yield* caller.open(yield* begin(caller))
      const foreign = yield* send(`${caller.url}/oauth/linkedin/choice`, {
        method: "POST",
        headers: { "sec-fetch-site": "cross-site", cookie: caller.cookie },
        body: new URLSearchParams({ token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? "", choice: "0" })
      })
      assert.strictEqual(foreign.status, 403)
      const { headers } = yield* choose(caller, text, "cancel")
      assert.strictEqual(headers.get("location"), `${baseUrl}/accounts?error=canceled`)
      assert.deepStrictEqual(yield* accountsOf(caller), [])
    })
  )

  it.effect(
    "A decision on another account says that LinkedIn can't end the access, and names people without an @",
    () =>
      Effect.gen(function* () {
        const caller = yield* makeAccountCaller()
        const profile = yield* caller.open(yield* begin(caller))
        yield* choose(caller, profile.text, "0")
        const first = yield* caller.open(yield* begin(caller))
        const further = yield* choose(caller, first.text, "further")
        const link = (/<a href="([^"]+)">Go on to LinkedIn/.exec(further.text)?.[1] ?? "").replaceAll("&amp;", "&")
        const second = yield* caller.open(yield* agree(caller, link))
        const { text } = yield* choose(caller, second.text, "1")
        assert.include(text, "Connect Visitor-page-jobs instead of Visitor?")
        assert.include(text, "LinkedIn offers no way to end it early, so it ends by itself.")
        assert.notInclude(text, "that you just gave ends")
      })
  )

  it.effect("What a key began is chosen in any browser, and a page shows the result", () =>
    Effect.gen(function* () {
      const caller = yield* makeAccountCaller("key")
      const query = new URL(yield* begin(caller)).searchParams
      const confirmed = yield* send(`${caller.url}/oauth/linkedin/confirmation`, {
        method: "POST",
        headers: { "sec-fetch-site": "same-origin" },
        body: new URLSearchParams({
          state: query.get("state") ?? "",
          code: query.get("code") ?? "",
          decision: "connect"
        })
      })
      const { status, text } = yield* choose(caller, confirmed.text, "0")
      assert.strictEqual(status, 200)
      assert.include(text, "Posts can now go out as Visitor.")
      assert.deepStrictEqual(yield* accountsOf(caller), [["Visitor", "urn:li:person:"]])
    })
  )
})
