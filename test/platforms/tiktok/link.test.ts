import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { standInWorld } from "../contract/standInWorld.ts"
import { outcome, statusFault } from "../world.ts"
import { tiktokConformance } from "./conformance.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)
const redirectUri = "https://posts.example/oauth/tiktok/callback"
const verifier = Redacted.make("")

const consentWorld = Effect.fnUntraced(function* () {
  const world = yield* standInWorld(tiktokConformance)
  const { consent, link } = world
  if (link.kind !== "consent") return yield* Effect.die("TikTok has a page for consent")
  const finish = Effect.flatMap(consent("", redirectUri), (code) => link.finish({ code, verifier, redirectUri }))
  return { ...world, link, finish }
})

describe("Connecting a TikTok account", () => {
  it.effect("The page gets the application's key, and scopes with commas", () =>
    Effect.gen(function* () {
      const { link } = yield* consentWorld()
      const url = new URL(link.authorizeUrl({ redirectUri, state: "a state", challenge: "unused" }))
      assert.isTrue(url.pathname.endsWith("/v2/auth/authorize"))
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        response_type: "code",
        client_key: "sandbox",
        redirect_uri: redirectUri,
        scope: "user.info.basic,user.info.profile,video.publish",
        state: "a state"
      })
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A code works once", () =>
    Effect.gen(function* () {
      const { consent, link } = yield* consentWorld()
      const code = yield* consent("", redirectUri)
      const { accounts } = yield* link.finish({ code, verifier, redirectUri })
      assert.deepStrictEqual(
        accounts.map(({ displayName, username }) => [username, displayName]),
        [["team", "Team"]]
      )
      assert.strictEqual(yield* outcome(link.finish({ code, verifier, redirectUri })), "NeedsReauthorization")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Somebody who allows a part of the scopes is asked for the rest", () =>
    Effect.gen(function* () {
      const { fail, finish } = yield* consentWorld()
      const body = JSON.stringify({
        access_token: "token",
        refresh_token: "refresh",
        open_id: "-000abc",
        scope: "user.info.basic,user.info.profile",
        expires_in: 7_200
      })
      yield* fail(statusFault(200, { body }), "session", 1)
      const refused = yield* Effect.flip(finish)
      assert.strictEqual(refused._tag, "Rejected")
      assert.include(refused.message, "video.publish is missing")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Disconnecting ends its access, and a failure of that is no failure", () =>
    Effect.gen(function* () {
      const { fail, finish, link } = yield* consentWorld()
      const { accounts } = yield* finish
      const [account] = accounts
      if (account === undefined) return assert.fail("No account was offered")
      yield* fail(statusFault(500), "session", 1)
      yield* link.revoke(account)
      assert.strictEqual(yield* outcome(link.profile(account)), "success")
      yield* link.revoke(account)
      assert.strictEqual(yield* outcome(link.profile(account)), "Unavailable")
    }).pipe(Effect.provide(withServers))
  )
})
