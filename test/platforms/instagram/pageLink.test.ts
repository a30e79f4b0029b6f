import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Rejected } from "../../../src/domain/publishing/platformError.ts"
import { isOfPage } from "../../../src/platforms/instagram/credentials.ts"
import { tokens } from "../../../src/platforms/instagram/tokens.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { standInWorld } from "../contract/standInWorld.ts"
import { outcome, statusFault, storedAccount } from "../world.ts"
import { instagramConformance, instagramPageConformance } from "./conformance.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const redirectUri = "https://posts.example/callback"
const verifier = Redacted.make("a verifier")

const linkWorld = Effect.gen(function* () {
  const world = yield* standInWorld(instagramPageConformance)
  const { consent, link } = world
  if (link.kind !== "consent") return assert.fail("Facebook has a page for its consent")
  const { authorizeUrl, finish } = link
  return {
    ...world,
    authorizeUrl,
    offered: Effect.flatMap(consent("", redirectUri), (code) => finish({ code, redirectUri, verifier }))
  }
})

describe("Connecting an Instagram account through Facebook Login", () => {
  it.effect("The consent page is Facebook's, with the scopes of Instagram and Pages", () =>
    Effect.gen(function* () {
      const { authorizeUrl } = yield* linkWorld
      const url = new URL(authorizeUrl({ redirectUri, state: "a state", challenge: "" }))
      assert.match(url.pathname, /\/v26\.0\/dialog\/oauth$/)
      assert.strictEqual(
        url.searchParams.get("scope"),
        "pages_show_list,pages_read_engagement,instagram_basic,instagram_content_publish"
      )
    }).pipe(Effect.provide(withServers))
  )

  it.effect("It offers the accounts of the person's Pages, also of those that the list leaves out", () =>
    Effect.gen(function* () {
      const { account, offered } = yield* linkWorld
      const { accounts } = yield* offered
      // A Page without an account is left out, and so is one on which the person may only advertise.
      assert.deepStrictEqual(
        accounts.map(({ username }) => username),
        ["team", "team.shop", "team.group"]
      )
      assert.strictEqual(accounts[0]?.accountId, account.accountId)
      assert.isTrue(accounts.every(({ accessUntil }) => accessUntil === undefined))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If Facebook lists no Page, the accounts of those are offered that the person ticked", () =>
    Effect.gen(function* () {
      const { fail, offered } = yield* linkWorld
      // The fault changes the answer with the list alone.
      yield* fail({ kind: "nulls" }, "any", 5)
      const { accounts } = yield* offered
      assert.includeMembers(
        accounts.map(({ username }) => username),
        ["team", "team.shop", "team.group"]
      )
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Without an account at any Page it says what to do", () =>
    Effect.gen(function* () {
      const { fail, offered } = yield* linkWorld
      const page = { id: "100", name: "News", access_token: "EAA1", tasks: ["CREATE_CONTENT"] }
      const scopes = ["pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_content_publish"]
      yield* fail(statusFault(200, { body: JSON.stringify({ access_token: "EAA1" }) }), "any", 2)
      yield* fail(statusFault(200, { body: JSON.stringify({ data: { scopes } }) }), "any", 1)
      yield* fail(statusFault(200, { body: JSON.stringify({ data: [page] }) }), "any", 1)
      const refused = yield* Effect.flip(offered)
      assert.isTrue(refused instanceof Rejected)
      assert.include(refused.message, "Connect a professional account to a Page in Instagram's settings")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A permission that the person did not give is named", () =>
    Effect.gen(function* () {
      const { fail, offered } = yield* linkWorld
      yield* fail(statusFault(200, { body: JSON.stringify({ access_token: "EAA1" }) }), "any", 2)
      yield* fail(statusFault(200, { body: JSON.stringify({ data: { scopes: ["pages_show_list"] } }) }), "any", 1)
      const refused = yield* Effect.flip(offered)
      assert.include(refused.message, "pages_read_engagement, instagram_basic, instagram_content_publish")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("The same account has the same id in both ways, so that connecting it again replaces nothing else", () =>
    Effect.gen(function* () {
      const idIn = Effect.fnUntraced(function* (platform: typeof instagramConformance) {
        const { consent, link } = yield* standInWorld(platform)
        if (link.kind !== "consent") return assert.fail("It has a page for its consent")
        const code = yield* consent("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", redirectUri)
        const { accounts } = yield* link.finish({ code, redirectUri, verifier: Redacted.make("") })
        return accounts[0]?.accountId
      })
      assert.strictEqual(yield* idIn(instagramPageConformance), yield* idIn(instagramConformance))
    }).pipe(Effect.provide(withServers))
  )
})

describe("Access through Facebook Login", () => {
  const connected = Effect.gen(function* () {
    const world = yield* linkWorld
    const [, shop] = (yield* world.offered).accounts
    if (shop === undefined) return assert.fail("It offers one account")
    const { account } = yield* storedAccount(shop)
    return { ...world, shop, account: { ...account, files: world.account.files } }
  })

  it.effect("It has no end, although the person's has, and is only asked about", () =>
    Effect.gen(function* () {
      const { account, adapter, shop } = yield* connected
      yield* TestClock.adjust("400 days")
      const { credentials, lifetime } = yield* adapter.renew(account, shop.credentials)
      assert.strictEqual(Redacted.value(credentials), Redacted.value(shop.credentials))
      assert.isDefined(lifetime)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    ["token expired", "NeedsReauthorization"],
    ["role lost", "NeedsReauthorization"],
    ["unknown error", "Unavailable"],
    ["bad parameter", "Unavailable"]
  ] as const)("If Facebook answers “%s” when asked about it, the result is %s", ([error, expected]) =>
    Effect.gen(function* () {
      const { account, adapter, fail, shop } = yield* connected
      yield* fail(statusFault(400, { error }), "identity", 1)
      assert.strictEqual(yield* outcome(adapter.renew(account, shop.credentials)), expected)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A lost role on the Page is named", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, shop } = yield* connected
      yield* fail(statusFault(400, { error: "role lost" }), "identity", 1)
      const { message } = yield* Effect.flip(adapter.renew(account, shop.credentials))
      assert.include(message, "has no role on its Page any more")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("The profile has the account's names", () =>
    Effect.gen(function* () {
      const { link, shop } = yield* connected
      assert.deepInclude(yield* link.profile(shop), { username: "team.shop", displayName: "Team Shop" })
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Neither login's API takes the tokens of the other", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare, shop } = yield* connected
      assert.isTrue(isOfPage(shop.credentials))
      assert.strictEqual(yield* outcome(tokens.decodeTokens(shop.credentials)), "NeedsReauthorization")
      const own = yield* standInWorld(instagramConformance)
      const mixed = { ...account, credentials: own.account.credentials }
      assert.strictEqual(yield* outcome(prepare({}, mixed)), "NeedsReauthorization")
      assert.strictEqual(yield* outcome(adapter.renew(account, yield* own.account.credentials.current)), "success")
    }).pipe(Effect.provide(withServers))
  )
})
