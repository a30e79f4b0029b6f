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

const connections = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
    return AccountLinking.layer((yield* Sandbox).platforms(url), url, "sandbox")
  })
)

/** The callback beside the pages on which a person agrees. */
const site = HttpRouter.serve(Layer.merge(sandboxRoutesLayer, twitterCallbackLayer), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(connections),
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

/** Begins a connection as the command does, and agrees to it; answers the address that X leads the person back to. */
const agreed = Effect.fn(function* (workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>) {
  const { oauthStates } = yield* Repo
  const { state, url, verifier } = yield* (yield* AccountLinking).beginTwitterLink
  yield* oauthStates.begin(state, { workspaceId, verifier })
  const [, back = ""] = /href="([^"]+)">Allow</.exec((yield* open(url)).text) ?? []
  return back.replaceAll("&amp;", "&")
})

const connected = Effect.fn(function* (workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>) {
  return yield* (yield* Repo).integrations.list(workspaceId)
})

const usedUp = "This link was used already, or it is too old"

layer(site)("The address that X leads people back to", (it) => {
  it.effect("connects the account that agreed, and works once, however often it is opened at the same time", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const back = yield* agreed(workspace)
      const pages = yield* Effect.all(
        Array.from({ length: 5 }, () => open(back)),
        { concurrency: "unbounded" }
      )
      const [done, ...late] = pages.toSorted((one, other) => one.status - other.status)
      assert.strictEqual(done?.status, 200)
      assert.include(done?.text, "Posts can now go out as @visitor")
      for (const { status, text } of late) {
        assert.strictEqual(status, 400)
        assert.include(text, usedUp)
      }
      const [account, ...others] = yield* connected(workspace)
      assert.deepInclude(account, { platform: "twitter", username: "visitor", status: "connected" })
      assert.lengthOf(others, 0)
    })
  )

  it.effect("connects an account again under the id that it had", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(["twitter"])
      const [before] = yield* connected(workspace)
      assert.strictEqual((yield* open(yield* agreed(workspace))).status, 200)
      const [after] = yield* connected(workspace)
      assert.deepStrictEqual([after?.id, after?.username], [before?.id, "visitor"])
    })
  )

  it.effect("is of no use after a quarter of an hour", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const back = yield* agreed(workspace)
      yield* TestClock.adjust("15 minutes")
      const { status, text } = yield* open(back)
      assert.strictEqual(status, 400)
      assert.include(text, usedUp)
      assert.lengthOf(yield* connected(workspace), 0)
    })
  )

  it.effect.each([
    ["a state that nobody asked with", (back: URL) => back.searchParams.set("state", "<script>"), usedUp],
    ["a code that X did not give", (back: URL) => back.searchParams.set("code", "<script>"), "connect it again"],
    ["no code", (back: URL) => back.searchParams.delete("code"), "X did not send what is needed"],
    ["no state", (back: URL) => back.searchParams.delete("state"), "X did not send what is needed"],
    ["a refusal", (back: URL) => back.searchParams.set("error", "<script>"), "X did not give access"]
  ] as const)("connects nothing with %s", ([, change, said]) =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const back = new URL(yield* agreed(workspace))
      change(back)
      const { status, text } = yield* open(back.href)
      assert.strictEqual(status, 400)
      assert.include(text, said)
      assert.notInclude(text, "<script>")
      assert.lengthOf(yield* connected(workspace), 0)
    })
  )

  it.effect("says so where X does not answer, and has to be begun again", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace([])
      const back = yield* agreed(workspace)
      const { faults } = yield* Sandbox
      yield* faults.add({ platform: "twitter", call: "session", fault: { kind: "status", status: 503 } })
      const failed = yield* open(back)
      assert.strictEqual(failed.status, 400)
      assert.include(failed.text, "X did not give access to this account")
      assert.include((yield* open(back)).text, usedUp)
      assert.lengthOf(yield* connected(workspace), 0)
    })
  )
})
