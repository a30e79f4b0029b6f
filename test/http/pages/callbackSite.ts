import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { HttpClient, HttpRouter, HttpServer } from "effect/http"
import { twitterCallbackLayer } from "../../../src/http/pages/twitterCallback.ts"
import { AccountLinking } from "../../../src/platforms/AccountLinking.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { sandboxRoutesLayer } from "../../../src/sandbox/routes.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"

const accountLinking = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
    return AccountLinking.layer((yield* Sandbox).platforms(url), url, "sandbox")
  })
)

const callback = Layer.unwrap(HttpServer.addressFormattedWith((url) => Effect.succeed(twitterCallbackLayer(url))))

/** The callback, and the sandbox pages on which a person agrees. */
export const site = HttpRouter.serve(Layer.merge(sandboxRoutesLayer(), callback), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(accountLinking),
  Layer.provideMerge(
    Layer.mergeAll(
      NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 }),
      platformHttpLayer,
      Sandbox.layer(),
      SecureRandom.layerWebCrypto,
      Digest.layerWebCrypto,
      repoLayer
    )
  )
)

export const open = Effect.fn(function* (url: string) {
  const response = yield* HttpClient.get(url)
  return { status: response.status, headers: response.headers, text: yield* response.text }
})

/** Starts linking an account and agrees to it, and returns the callback URL to which X redirects the person. */
export const agree = Effect.fn(function* (workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>) {
  const { oauthStates } = yield* Repo
  const { state, url, verifier } = yield* (yield* AccountLinking).beginTwitterLink
  yield* oauthStates.begin(state, { workspaceId, verifier })
  const [, callback = ""] = /href="([^"]+)">Allow</.exec((yield* open(url)).text) ?? []
  return callback.replaceAll("&amp;", "&")
})

export const listAccounts = Effect.fn(function* (workspaceId: Effect.Success<ReturnType<typeof makeWorkspace>>) {
  return yield* (yield* Repo).integrations.list(workspaceId)
})
