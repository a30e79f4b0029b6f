import { Context, Effect, Latch, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { confirmationPath } from "../../../src/http/pages/accountPages.ts"
import { accountDecisionLayer } from "../../../src/http/pages/accountDecision.ts"
import { consentCallbackLayer } from "../../../src/http/pages/consentCallback.ts"
import type { Notifier } from "../../../src/notifier/Notifier.ts"
import { livePlatforms } from "../../../src/domain/plain/platforms.ts"
import { AccountLinking, callbackPath } from "../../../src/platforms/AccountLinking.ts"
import type { Repo } from "../../../src/repo/Repo.ts"
import { sandboxAppPassword } from "../../../src/platforms/bluesky/standIn/sessions.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import type { Role } from "../../../src/domain/people/role.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { keyHeaders, send, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { platformHttpLayer, strictHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { baseUrl, ServerUrl } from "../../support/http/server.ts"
import { makeKey, makeMember, makeSession, startOnDatabase } from "../../support/http/team.ts"

/** Suspends the process between a platform's response with access and storing that access. */
export class Suspension extends Context.Service<
  Suspension,
  { readonly begun: Latch.Latch; readonly ended: Latch.Latch }
>()("test/Suspension") {
  static readonly layer = Layer.effect(Suspension, Effect.all({ begun: Latch.make(false), ended: Latch.make(true) }))
}

const suspended = Layer.effect(
  AccountLinking,
  Effect.gen(function* () {
    const linking = yield* AccountLinking
    const { begun, ended } = yield* Suspension
    const suspend = <A, E>(linked: Effect.Effect<A, E>) =>
      Effect.tap(linked, () => Effect.andThen(begun.open, ended.await))
    return {
      ...linking,
      finish: (...grant) => suspend(linking.finish(...grant)),
      logIn: (...login) => suspend(linking.logIn(...login))
    }
  })
)

const worldWith = (http: typeof platformHttpLayer, where: "live" | "sandbox") => {
  const accountLinking = suspended.pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.map(Sandbox, (sandbox) =>
          AccountLinking.layer(sandbox.platforms(baseUrl), baseUrl, where, livePlatforms)
        )
      )
    ),
    Layer.provideMerge(Suspension.layer)
  )
  const server = Layer.effect(
    ServerUrl,
    Effect.gen(function* () {
      const stores = Layer.succeedContext(yield* Effect.context<Repo | Notifier | AccountLinking>())
      return yield* startOnDatabase({
        accountLinking: stores,
        others: Layer.merge(consentCallbackLayer(baseUrl), accountDecisionLayer(baseUrl)).pipe(
          HttpRouter.provideRequest(stores)
        ),
        rateLimitPerMinute: 1_000_000
      })
    })
  )
  return server.pipe(
    Layer.provideMerge(accountLinking),
    Layer.provideMerge(
      Layer.mergeAll(Sandbox.layer(), http, SecureRandom.layerWebCrypto, Digest.layerWebCrypto, repoLayer)
    )
  )
}

/** A server on a new database, with the sandbox as its platforms. */
export const accountWorld = worldWith(platformHttpLayer, "sandbox")

/** As in live mode, addresses from API callers must be public. */
export const strictAccountWorld = worldWith(strictHttpLayer, "live")

/** A workspace, and the HTTP requests of its caller, an admin by default. */
export const makeAccountCaller = Effect.fn("makeAccountCaller")(function* (as: Role | "key" = "admin") {
  const url = yield* ServerUrl
  const workspaceId = yield* makeWorkspace([])
  const user = as === "key" ? undefined : yield* makeMember(workspaceId, as)
  const cookie = user === undefined ? "" : yield* makeSession(user.id, workspaceId)
  const headers = user === undefined ? keyHeaders((yield* makeKey(workspaceId)).key) : sessionHeaders(cookie)
  const call = (method: string, path: string, body?: unknown) =>
    sendJson(`${url}/v1/integrations${path}`, method, headers, body)
  const connectBluesky = (name: string, more: object = {}) =>
    call("POST", "/bluesky", { identifier: `${name}.sandbox.test`, app_password: sandboxAppPassword, ...more })

  /** Agrees on X's page, and returns the URL that X sends the browser back to. */
  const agree = Effect.fnUntraced(function* (authorizeUrl: string) {
    const query = new URL(authorizeUrl).searchParams
    const challenge = query.get("code_challenge") ?? ""
    const code = yield* (yield* Sandbox).consent("twitter", {
      redirectUri: `${baseUrl}${callbackPath("twitter")}`,
      challenge
    })
    const back = new URLSearchParams({ state: query.get("state") ?? "", code })
    return `${url}${callbackPath("twitter")}?${back.toString()}`
  })

  /** Opens a page like a browser that comes from X, without following redirects. */
  const open = (page: string, cookies = cookie) =>
    send(page, { redirect: "manual", headers: cookies === "" ? {} : { cookie: cookies } })

  /** Confirms the callback of a link that was begun outside a browser. */
  const confirm = Effect.fnUntraced(function* (page: string) {
    const query = new URL(page).searchParams
    const form = { state: query.get("state") ?? "", code: query.get("code") ?? "", decision: "connect" }
    return yield* send(`${url}${confirmationPath("twitter")}`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin" },
      body: new URLSearchParams(form)
    })
  })

  const connectTwitter = Effect.fnUntraced(function* (body: object = {}) {
    const { body: begun } = yield* call("POST", "/twitter", body)
    return yield* agree(begun.data.authorize_url)
  })

  return { url, workspaceId, user, cookie, headers, call, connectBluesky, connectTwitter, agree, confirm, open }
})
