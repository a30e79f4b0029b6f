import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServer } from "effect/http"
import { accountDecisionLayer } from "../../../src/http/pages/accountDecision.ts"
import { consentCallbackLayer } from "../../../src/http/pages/consentCallback.ts"
import { AccountLinking } from "../../../src/platforms/AccountLinking.ts"
import type { ApiKeyId, WorkspaceId } from "../../../src/domain/ids.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { sandboxRoutesLayer } from "../../../src/sandbox/routes.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"

const accountLinking = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
    return AccountLinking.layer((yield* Sandbox).platforms(url), url, "sandbox")
  })
)

const callback = Layer.unwrap(
  HttpServer.addressFormattedWith((url) =>
    Effect.succeed(Layer.merge(consentCallbackLayer(url), accountDecisionLayer(url)))
  )
)

/** The callback page, the page that decides about another account, and the sandbox's consent pages. */
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

/** Starts linking an account and consents. Returns the callback URL to which X redirects the person. */
export const agree = Effect.fn(function* (workspaceId: WorkspaceId, byKey?: ApiKeyId) {
  const { oauthStates } = yield* Repo
  const { state, url, verifier } = yield* (yield* AccountLinking).begin("twitter")
  yield* oauthStates.begin(state, {
    platform: "twitter",
    workspaceId,
    verifier,
    ...(byKey === undefined ? {} : { byKey })
  })
  const [, callback = ""] = /href="([^"]+)">Allow</.exec((yield* open(url)).text) ?? []
  return callback.replaceAll("&amp;", "&")
})

/** Opens a callback page, and submits its form like a browser. */
export const confirm = Effect.fn(function* (
  callback: string,
  decision: "connect" | "cancel" = "connect",
  headers: Readonly<Record<string, string>> = { "sec-fetch-site": "same-origin" }
) {
  const page = yield* open(callback)
  const action = /<form method="post" action="([^"]+)">/.exec(page.text)?.[1]
  if (action === undefined) return page
  const fields = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  const form = new URLSearchParams({ decision })
  for (const [, name = "", value = ""] of fields)
    form.append(name, value.replaceAll("&amp;", "&").replaceAll("&lt;", "<").replaceAll("&gt;", ">"))
  const request = HttpClientRequest.post(new URL(action, callback)).pipe(
    HttpClientRequest.setHeaders(headers),
    HttpClientRequest.bodyUrlParams(form)
  )
  const response = yield* HttpClient.execute(request)
  return { status: response.status, headers: response.headers, text: yield* response.text }
})

export const listAccounts = Effect.fn(function* (workspaceId: WorkspaceId) {
  return yield* (yield* Repo).integrations.list(workspaceId)
})
