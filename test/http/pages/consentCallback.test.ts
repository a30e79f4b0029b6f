import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { callTimeout } from "../../../src/platforms/call.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import type { CallKind, Fault } from "../../../src/sandbox/state/faults.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { agree, confirm, listAccounts, open, site } from "./callbackSite.ts"

const expired = "This link was used already, or it is too old"

layer(site)("GET /oauth/twitter/callback", (it) => {
  it.effect("A callback links the account once, even if it is opened several times concurrently", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      const pages = yield* Effect.all(
        Array.from({ length: 5 }, () => confirm(callback)),
        { concurrency: "unbounded" }
      )
      const [first, ...others] = pages.toSorted((one, other) => one.status - other.status)
      assert.strictEqual(first?.status, 200)
      assert.include(first?.text, "Posts can now go out as @visitor")
      for (const { status, text } of others) {
        assert.strictEqual(status, 400)
        assert.include(text, expired)
      }
      const accounts = yield* listAccounts(workspace)
      assert.deepInclude(accounts[0], { platform: "twitter", username: "visitor", status: "connected" })
      assert.lengthOf(accounts, 1)
    })
  )

  it.effect(
    "The page after the consent names the workspace and who began it, and connects nothing until it is confirmed",
    () =>
      Effect.gen(function* () {
        const { apiKeys, workspaces } = yield* Repo
        const { id } = yield* workspaces.create("Acme <b>")
        const key = yield* apiKeys.create({
          workspaceId: id,
          name: "Release & bot",
          scopes: ["integrations:write"],
          requiresApproval: false,
          expiresIn: null
        })
        const callback = yield* agree(id, key.stored.id)
        const page = yield* open(callback)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "Connect your X account to Acme &lt;b&gt;?")
        assert.include(page.text, "The API key <strong>Release &amp; bot</strong> has asked for this")
        assert.lengthOf(yield* listAccounts(id), 0)
        assert.strictEqual((yield* confirm(callback)).status, 200)
        assert.lengthOf(yield* listAccounts(id), 1)
        const operators = yield* open(yield* agree(yield* makeWorkspace([])))
        assert.include(operators.text, "Whoever gave you the link has asked for this")
      })
  )

  it.effect.each([
    { from: "another site", headers: { "sec-fetch-site": "cross-site" } },
    { from: "an unknown place", headers: {} }
  ])("A confirmation from $from connects nothing, and the question stays", ({ headers }) =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      assert.strictEqual((yield* confirm(callback, "connect", headers)).status, 403)
      assert.lengthOf(yield* listAccounts(workspace), 0)
      assert.strictEqual((yield* confirm(callback)).status, 200)
    })
  )

  it.effect("Somebody who cancels connects nothing, and the link works no more", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      const { status, text } = yield* confirm(callback, "cancel")
      assert.strictEqual(status, 200)
      assert.include(text, "Nothing was connected")
      assert.include((yield* confirm(callback)).text, expired)
      assert.lengthOf(yield* listAccounts(workspace), 0)
    })
  )

  it.effect("What was begun with a key that was revoked meanwhile connects nothing, and the access ends", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const workspace = yield* makeWorkspace([])
      const key = yield* apiKeys.create({
        workspaceId: workspace,
        name: "Bot",
        scopes: ["integrations:write"],
        requiresApproval: false,
        expiresIn: null
      })
      const callback = yield* agree(workspace, key.stored.id)
      yield* apiKeys.revoke(key.stored.id)
      const { status, text } = yield* confirm(callback)
      assert.strictEqual(status, 400)
      assert.include(text, "This API key has expired or was revoked")
      assert.lengthOf(yield* listAccounts(workspace), 0)
    })
  )

  it.effect("What was begun for another platform is refused at X's callback, which does not use it up", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      const callback = new URL(yield* agree(workspaceId))
      yield* oauthStates.begin("elsewhere", { platform: "bluesky", workspaceId, verifier: Redacted.make("verifier") })
      for (const [name, value] of [
        ["state", "elsewhere"],
        ["error", "access_denied"]
      ] as const) {
        callback.searchParams.set(name, value)
        const { status, text } = yield* open(callback.href)
        assert.strictEqual(status, 400)
        assert.include(text, expired)
      }
      assert.isTrue(Option.isSome(yield* oauthStates.take("bluesky", "elsewhere", Option.none())))
      assert.lengthOf(yield* listAccounts(workspaceId), 0)
    })
  )

  it.effect("A platform without a consent page has no callback, and what was begun for X goes on at X's", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      assert.strictEqual((yield* open(callback.replace("/twitter/", "/bluesky/"))).status, 404)
      assert.strictEqual((yield* confirm(callback)).status, 200)
      assert.lengthOf(yield* listAccounts(workspace), 1)
    })
  )

  it.effect("What the version before began, which stores no platform, goes on at X's callback", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      yield* sql`UPDATE authorisations SET platform = NULL WHERE workspace_id = ${workspace}::uuid`
      assert.strictEqual((yield* confirm(callback)).status, 200)
      assert.lengthOf(yield* listAccounts(workspace), 1)
    })
  )

  it.effect("An account that is linked again keeps its id", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      assert.strictEqual((yield* confirm(yield* agree(workspace))).status, 200)
      const [before] = yield* listAccounts(workspace)
      assert.strictEqual((yield* confirm(yield* agree(workspace))).status, 200)
      const [after] = yield* listAccounts(workspace)
      assert.deepStrictEqual([after?.id, after?.username], [before?.id, "visitor"])
    })
  )

  it.effect("A callback after 15 minutes links nothing", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      yield* TestClock.adjust("15 minutes")
      const { status, text } = yield* open(callback)
      assert.strictEqual(status, 400)
      assert.include(text, expired)
      assert.lengthOf(yield* listAccounts(workspace), 0)
    })
  )

  it.effect.each([
    ["an unknown state", (callback: URL) => callback.searchParams.set("state", "<script>"), expired],
    ["an unknown code", (callback: URL) => callback.searchParams.set("code", "<script>"), "connect it again"],
    ["no code", (callback: URL) => callback.searchParams.delete("code"), "X did not send what is needed"],
    ["no state", (callback: URL) => callback.searchParams.delete("state"), "X did not send what is needed"],
    ["a refusal", (callback: URL) => callback.searchParams.set("error", "<script>"), "X did not give access"]
  ] as const)("A callback with %s links nothing, and its page contains no markup from the URL", ([, change, message]) =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = new URL(yield* agree(workspace))
      change(callback)
      const { status, text } = yield* confirm(callback.href)
      assert.strictEqual(status, 400)
      assert.include(text, message)
      assert.notInclude(text, "<script>")
      assert.lengthOf(yield* listAccounts(workspace), 0)
    })
  )

  it.effect.each([
    ["the answer with the tokens is lost", "session", { kind: "reset", when: "after_commit" }],
    ["X can't say whose account it is", "identity", { kind: "reset", when: "before_commit" }],
    [
      "the answer with the tokens can't be read",
      "session",
      { kind: "status", status: 200, body: '{"access_token":"a\\nb"}' }
    ]
  ] satisfies Array<[string, CallKind, Fault]>)(
    "A callback for which %s links nothing, and the person can begin again",
    ([, call, fault]) =>
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace([])
        const callback = yield* agree(workspace)
        yield* (yield* Sandbox).faults.add({ platform: "twitter", call, fault })
        const failed = yield* confirm(callback)
        assert.strictEqual(failed.status, 400)
        assert.include(failed.text, "Not connected")
        assert.include((yield* open(callback)).text, expired)
        assert.lengthOf(yield* listAccounts(workspace), 0)
        assert.strictEqual((yield* confirm(yield* agree(workspace))).status, 200)
        assert.lengthOf(yield* listAccounts(workspace), 1)
      })
  )

  it.effect("A callback that X never answers ends after 20 seconds, and the person can begin again", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const { faults } = yield* Sandbox
      yield* faults.add({ platform: "twitter", call: "session", fault: { kind: "hang", when: "after_commit" } })
      const opening = yield* Effect.forkChild(Effect.flatMap(agree(workspace), confirm))
      yield* Effect.repeat(faults.met, { until: ({ kind }) => kind === "hang" })
      yield* TestClock.adjust(callTimeout)
      const failed = yield* Fiber.join(opening)
      assert.strictEqual(failed.status, 400)
      assert.include(failed.text, "X did not answer within 20 seconds")
      assert.lengthOf(yield* listAccounts(workspace), 0)
      assert.strictEqual((yield* confirm(yield* agree(workspace))).status, 200)
    })
  )

  it.effect("A callback while X is unavailable links nothing, and can't be repeated", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      const { faults } = yield* Sandbox
      yield* faults.add({ platform: "twitter", call: "session", fault: { kind: "status", status: 503 } })
      const failed = yield* confirm(callback)
      assert.strictEqual(failed.status, 400)
      assert.include(failed.text, "X did not give access to this account")
      assert.include((yield* open(callback)).text, expired)
      assert.lengthOf(yield* listAccounts(workspace), 0)
    })
  )
})
