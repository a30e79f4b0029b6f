import { createServer } from "node:http"
import { NodeHttpClient, NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { HttpClient, HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { twitterCallbackLayer } from "../../../src/http/operations/twitterCallback.ts"
import { AccountLinking } from "../../../src/platforms/AccountLinking.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { sandboxRoutesLayer } from "../../../src/sandbox/routes.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"

const accountLinking = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
    return AccountLinking.layer((yield* Sandbox).platforms(url), url, "sandbox")
  })
)

/** The callback, and the sandbox pages on which a person agrees. */
const site = HttpRouter.serve(Layer.merge(sandboxRoutesLayer, twitterCallbackLayer), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(accountLinking),
  Layer.provideMerge(
    Layer.mergeAll(
      NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 }),
      NodeHttpClient.layerUndici,
      Sandbox.layer(),
      SecureRandom.layerWebCrypto,
      Digest.layerWebCrypto,
      repoLayer
    )
  )
)

const open = Effect.fn(function* (url: string) {
  const response = yield* HttpClient.get(url)
  return { status: response.status, headers: response.headers, text: yield* response.text }
})

/** Starts linking an account and agrees to it, and returns the callback URL to which X redirects the person. */
const agree = Effect.fn(function* (workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>) {
  const { oauthStates } = yield* Repo
  const { state, url, verifier } = yield* (yield* AccountLinking).beginTwitterLink
  yield* oauthStates.begin(state, { workspaceId, verifier })
  const [, callback = ""] = /href="([^"]+)">Allow</.exec((yield* open(url)).text) ?? []
  return callback.replaceAll("&amp;", "&")
})

const listAccounts = Effect.fn(function* (workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>) {
  return yield* (yield* Repo).integrations.list(workspaceId)
})

const expired = "This link was used already, or it is too old"

layer(site)("GET /oauth/twitter/callback", (it) => {
  it.effect("A callback links the account once, even if it is opened several times concurrently", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      const pages = yield* Effect.all(
        Array.from({ length: 5 }, () => open(callback)),
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

  it.effect("An account that is linked again keeps its id", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(["twitter"])
      const [before] = yield* listAccounts(workspace)
      assert.strictEqual((yield* open(yield* agree(workspace))).status, 200)
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
      const { status, text } = yield* open(callback.href)
      assert.strictEqual(status, 400)
      assert.include(text, message)
      assert.notInclude(text, "<script>")
      assert.lengthOf(yield* listAccounts(workspace), 0)
    })
  )

  it.effect("A callback while X is unavailable links nothing, and can't be repeated", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const callback = yield* agree(workspace)
      const { faults } = yield* Sandbox
      yield* faults.add({ platform: "twitter", call: "session", fault: { kind: "status", status: 503 } })
      const failed = yield* open(callback)
      assert.strictEqual(failed.status, 400)
      assert.include(failed.text, "X did not give access to this account")
      assert.include((yield* open(callback)).text, expired)
      assert.lengthOf(yield* listAccounts(workspace), 0)
    })
  )
})
