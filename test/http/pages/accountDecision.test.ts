import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { replaceAccount } from "../../../src/accounts/replaceAccount.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { lease } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { send } from "../../support/http/client.ts"
import { retryMuchLater } from "../../repo/targets/settlements.ts"
import { agree, confirm, listAccounts, site } from "./callbackSite.ts"

const later = DateTime.makeUnsafe("2030-01-01T00:00:00Z")

const own = { "sec-fetch-site": "same-origin" }

/** A workspace with another X account than the one that consented, and the page that asks about the change. */
const ask = Effect.gen(function* () {
  const { posts } = yield* Repo
  const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
  const workspace = yield* makeWorkspace()
  const { id } = yield* posts.create(workspace, plan(later, ["twitter", "bluesky"]))
  const page = yield* confirm(yield* agree(workspace))
  const field = (name: string, text = page.text) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? ""
  const decide = (decision: string, headers: Record<string, string> = own, changes: Record<string, string> = {}) =>
    send(`${url}/oauth/twitter/decision`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ token: field("token"), replaces: field("replaces"), decision, ...changes })
    })
  const username = Effect.map(
    listAccounts(workspace),
    (accounts) => accounts.find(({ platform }) => platform === "twitter")?.username
  )
  const state = Effect.map(posts.get(workspace, id), (post) => [
    post.status,
    post.post_targets[0]?.account_id === "account-twitter" ? "old" : "new"
  ])
  return { workspace, url, page, field, decide, username, state }
})

/** True if the sandbox no longer accepts an account's token. */
const isRevoked = Effect.fnUntraced(function* (accountToken: string) {
  const { apiUrls } = yield* Sandbox
  const response = yield* send(`${apiUrls.twitter}/2/users/me`, {
    headers: { authorization: `Bearer ${accountToken}` }
  })
  return response.status === 401
})

/** The access token in decrypted credentials. */
const accessToken = Effect.fnUntraced(function* (credentials: Redacted.Redacted) {
  return String(JSON.parse(Redacted.value(credentials)).accessToken)
})

layer(site)("POST /oauth/twitter/decision", (it) => {
  it.effect("Consent to another account changes nothing until a person decides, and the page says what waits", () =>
    Effect.gen(function* () {
      const { page, state, username } = yield* ask
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "Connect @visitor instead of @team_twitter?")
      assert.include(page.text, "For @team_twitter, 1 scheduled post waits")
      assert.include(page.text, 'action="/oauth/twitter/decision"')
      assert.deepStrictEqual(yield* state, ["scheduled", "old"])
      assert.strictEqual(yield* username, "team_twitter")
      const policy =
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/
      assert.match(page.headers["content-security-policy"] ?? "", policy)
      assert.strictEqual(page.headers["referrer-policy"], "same-origin")
    })
  )

  it.effect("The kept account is encrypted, and its token is stored as a hash", () =>
    Effect.gen(function* () {
      const { field, workspace } = yield* ask
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`SELECT encode(hash, 'escape') || encode(account, 'escape') AS text
        FROM account_changes WHERE workspace_id = ${workspace}::uuid`
      assert.notInclude(String(row?.["text"]), "visitor")
      assert.notInclude(String(row?.["text"]), field("token"))
    })
  )

  it.effect.each([
    ["replace", ["scheduled", "new"], "visitor", "Posts now go out as @visitor"],
    ["drafts", ["draft", "new"], "visitor", "Posts now go out as @visitor"],
    ["cancel", ["scheduled", "old"], "team_twitter", "Nothing was changed"]
  ] as const)("The decision to %s takes effect once", ([decision, expected, account, message]) =>
    Effect.gen(function* () {
      const { decide, state, username } = yield* ask
      const pages = yield* Effect.all([decide(decision), decide(decision), decide("replace")], {
        concurrency: decision === "replace" ? "unbounded" : 1
      })
      const [first, ...others] = pages.toSorted((one, other) => one.status - other.status)
      assert.strictEqual(first?.status, 200)
      assert.include(first?.text, message)
      for (const { status, text } of others) {
        assert.strictEqual(status, 400)
        assert.include(text, "used already, or it is too old")
      }
      assert.deepStrictEqual(yield* state, [...expected])
      assert.strictEqual(yield* username, account)
    })
  )

  it.effect("Cancel ends the access that was given, unless the account is connected elsewhere", () =>
    Effect.gen(function* () {
      const { accountChanges, integrations } = yield* Repo
      const sandbox = yield* Sandbox
      const { decide, workspace } = yield* ask
      for (const isElsewhere of [false, true]) {
        const account = { platform: "twitter" as const, ...(yield* sandbox.connect("twitter", `guest ${isElsewhere}`)) }
        if (isElsewhere) yield* integrations.connect(yield* makeWorkspace([]), account)
        const token = yield* accountChanges.keep({ workspaceId: workspace, account }, {})
        const { status } = yield* decide("cancel", own, { token: Redacted.value(token) })
        assert.strictEqual(status, 200)
        assert.strictEqual(yield* isRevoked(yield* accessToken(account.credentials)), !isElsewhere)
      }
    })
  )

  it.effect("Replacing ends the access to the account before", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const sandbox = yield* Sandbox
      const workspace = yield* makeWorkspace([])
      const before = { platform: "twitter" as const, ...(yield* sandbox.connect("twitter", "before")) }
      yield* integrations.connect(workspace, before)
      const next = { platform: "twitter" as const, ...(yield* sandbox.connect("twitter", "next")) }
      yield* replaceAccount(workspace, next, "replace")
      assert.isTrue(yield* isRevoked(yield* accessToken(before.credentials)))
      assert.isFalse(yield* isRevoked(yield* accessToken(next.credentials)))
    })
  )

  it.effect("A decision after 15 minutes changes nothing", () =>
    Effect.gen(function* () {
      const { decide, state } = yield* ask
      yield* TestClock.adjust("15 minutes")
      const { status, text } = yield* decide("replace")
      assert.strictEqual(status, 400)
      assert.include(text, "used already, or it is too old")
      assert.deepStrictEqual(yield* state, ["scheduled", "old"])
    })
  )

  it.effect("While a post is being sent the account stays, and the same page decides once the outcome is known", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const { decide, field, state, username, workspace } = yield* ask
      yield* posts.create(workspace, plan(yield* DateTime.now))
      const claims = yield* targets.claim(32, lease)
      const claim = claims.find(({ workspaceId }) => workspaceId === workspace)
      if (claim === undefined) return assert.fail("Nothing was due")
      const refused = yield* decide("drafts")
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "A post is being sent to X from @team_twitter")
      assert.strictEqual(field("token", refused.text), field("token"))
      assert.deepStrictEqual([...(yield* state), yield* username], ["scheduled", "old", "team_twitter"])
      yield* targets.settle(claim, retryMuchLater)
      assert.strictEqual((yield* decide("drafts")).status, 200)
      assert.deepStrictEqual(yield* state, ["draft", "new"])
      const { data } = yield* (yield* Repo).notifications.page(workspace, 0, 10)
      assert.deepStrictEqual(
        data.map(({ type }) => type),
        ["post.failed"]
      )
    })
  )

  it.effect("A page that named another account than the connected one asks again", () =>
    Effect.gen(function* () {
      const { decide, field, state, username, workspace } = yield* ask
      const sandbox = yield* Sandbox
      const third = { platform: "twitter" as const, ...(yield* sandbox.connect("twitter", "third")) }
      yield* replaceAccount(workspace, third, "replace")
      const asked = yield* decide("replace")
      assert.include(asked.text, "Connect @visitor instead of @third?")
      assert.strictEqual(yield* username, "third")
      const { status } = yield* decide("replace", own, { replaces: field("replaces", asked.text) })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual([...(yield* state), yield* username], ["scheduled", "new", "visitor"])
    })
  )

  it.effect.each([
    ["replace", "drafts", 409, "For @visitor, 1 scheduled post waits.", ["scheduled", "new"]],
    ["replace", "replace", 200, "For @visitor, 1 scheduled post waits.", ["scheduled", "new"]],
    ["drafts", "replace", 200, "For @visitor, 1 draft waits.", ["draft", "new"]],
    ["drafts", "drafts", 200, "For @visitor, 1 draft waits.", ["draft", "new"]],
    ["replace", "cancel", 200, "Nothing was changed", ["scheduled", "new"]]
  ] as const)(
    "After %s on one page, %s on another page for the same account is a %i that says what waits, and changes no post",
    ([first, second, status, message, expected]) =>
      Effect.gen(function* () {
        const { decide, field, state, username, workspace } = yield* ask
        const other = yield* confirm(yield* agree(workspace))
        assert.strictEqual((yield* decide(first)).status, 200)
        const answer = yield* decide(second, own, { token: field("token", other.text) })
        assert.strictEqual(answer.status, status)
        assert.include(answer.text, message)
        if (second !== "cancel") assert.include(answer.text, "@visitor was connected already")
        assert.deepStrictEqual([...(yield* state), yield* username], [...expected, "visitor"])
      })
  )

  it.effect.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another origin", { origin: "https://evil.example" }],
    ["no page", {}]
  ] as const)("A decision from %s is refused", ([, headers]) =>
    Effect.gen(function* () {
      const { decide, state } = yield* ask
      assert.strictEqual((yield* decide("replace", { ...headers })).status, 403)
      assert.deepStrictEqual(yield* state, ["scheduled", "old"])
    })
  )

  it.effect.each([
    ["an unknown decision", { decision: "<script>" }, "The form was not complete"],
    ["an unknown token", { token: "<script>" }, "used already, or it is too old"],
    ["a body that is too large", { token: "x".repeat(5000) }, "The form was not complete"]
  ] as const)(
    "A decision with %s changes nothing, and its page contains no markup from the form",
    ([, changes, message]) =>
      Effect.gen(function* () {
        const { decide, state } = yield* ask
        const { status, text } = yield* decide("replace", own, { ...changes })
        assert.strictEqual(status, 400)
        assert.include(text, message)
        assert.notInclude(text, "<script>")
        assert.deepStrictEqual(yield* state, ["scheduled", "old"])
      })
  )
})

layer(site)("the limit of the OAuth routes", (it) => {
  it.effect("An address with many unknown states and tokens is refused before the database is asked", () =>
    Effect.gen(function* () {
      const { decide, url } = yield* ask
      const attempts = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? send(`${url}/oauth/twitter/callback?code=a&state=unknown${index}`)
          : decide("replace", own, { token: `unknown${index}` })
      )
      const statuses = (yield* Effect.all(attempts, { concurrency: 8 })).map(({ status }) => status)
      assert.deepStrictEqual(
        statuses.toSorted((one, other) => one - other),
        [...Array.from({ length: 30 }, () => 400), ...Array.from({ length: 10 }, () => 429)]
      )
      const refused = yield* decide("replace")
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "60"])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* decide("replace")).status, 200)
    })
  )
})
