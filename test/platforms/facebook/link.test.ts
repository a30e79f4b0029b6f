import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Rejected } from "../../../src/domain/publishing/platformError.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { makeFacebookLink } from "../../../src/platforms/facebook/link.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { outcome, statusFault, storedAccount, targetId } from "../world.ts"
import { facebookConformance } from "./conformance.ts"
import { pageWorld } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const redirectUri = "https://posts.example/callback"
const verifier = Redacted.make("a verifier")

const linkWorld = Effect.gen(function* () {
  const world = yield* pageWorld()
  const { consent, link } = world
  if (link.kind !== "consent") return assert.fail("Facebook has a page for its consent")
  const { authorizeUrl, finish } = link
  return {
    ...world,
    authorizeUrl,
    offered: Effect.flatMap(consent("", redirectUri), (code) => finish({ code, redirectUri, verifier })),
    finish
  }
})

describe("Connecting a Page", () => {
  it.effect("The consent asks for the scopes, without a challenge, and a code works once", () =>
    Effect.gen(function* () {
      const { authorizeUrl, consent, finish } = yield* linkWorld
      const url = new URL(authorizeUrl({ redirectUri, state: "a state", challenge: "" }))
      assert.match(url.pathname, /\/v26\.0\/dialog\/oauth$/)
      assert.strictEqual(url.searchParams.get("scope"), "pages_show_list,pages_read_engagement,pages_manage_posts")
      const code = yield* consent("", redirectUri)
      const grant = { code, redirectUri, verifier }
      assert.isNotEmpty((yield* finish(grant)).accounts)
      assert.strictEqual(yield* outcome(finish(grant)), "NeedsReauthorization")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("It offers the Pages on which the person may post, also those that the list leaves out", () =>
    Effect.gen(function* () {
      const { account, offered } = yield* linkWorld
      const { accounts } = yield* offered
      // A Page on which the person may only advertise is left out.
      assert.deepStrictEqual(
        accounts.map(({ username }) => username),
        ["team", "team.shop", "team.group"]
      )
      assert.strictEqual(accounts[0]?.accountId, account.accountId)
      assert.isTrue(accounts.every(({ accessUntil }) => accessUntil === undefined))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If Facebook lists no Page, those are offered that the person ticked", () =>
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

  it.effect("A Page's access has no end, although the person's has", () =>
    Effect.gen(function* () {
      const { adapter, offered } = yield* linkWorld
      const { accounts } = yield* offered
      const [, shop] = accounts
      if (shop === undefined) return assert.fail("It offers one Page")
      yield* TestClock.adjust("400 days")
      const { account } = yield* storedAccount(shop)
      const prepared = yield* adapter.prepare({ targetId, text: "Hello", settings: {} }, account)
      const { platformPostId } = yield* sendPost(adapter, prepared, account)
      assert.isTrue(platformPostId?.startsWith(`${shop.accountId}_`))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A profile has the Page's names, and a Page without one has its id", () =>
    Effect.gen(function* () {
      const { link, offered } = yield* linkWorld
      const [first] = (yield* offered).accounts
      if (first === undefined) return assert.fail("It offers no Page")
      assert.deepInclude(yield* link.profile(first), { username: "team", displayName: "Team" })
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A refused or unreadable answer is an error that says what to do", () =>
    Effect.gen(function* () {
      const { fail, offered } = yield* linkWorld
      for (const [fault, expected] of [
        [statusFault(400, { detail: "Error validating client secret." }), "Unavailable"],
        [statusFault(503), "Unavailable"],
        [{ kind: "front", status: 403 }, "Unavailable"]
      ] as const) {
        yield* fail(fault, "any", 1)
        assert.strictEqual(yield* outcome(offered), expected)
      }
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A permission that the person did not give is named", () =>
    Effect.gen(function* () {
      const { fail, offered } = yield* linkWorld
      yield* fail(statusFault(200, { body: JSON.stringify({ access_token: "a" }) }), "any", 2)
      yield* fail(statusFault(200, { body: JSON.stringify({ data: { scopes: ["pages_show_list"] } }) }), "any", 1)
      const refused = yield* Effect.flip(offered)
      assert.isTrue(refused instanceof Rejected)
      assert.include(refused.message, "pages_read_engagement, pages_manage_posts")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Without its secret the service says which variable is missing", () =>
    Effect.gen(function* () {
      const link = makeFacebookLink({
        apiUrl: "https://platform.test",
        uploadUrl: "https://platform.test",
        consentUrl: "https://platform.test",
        webUrl: "https://platform.test",
        version: "v26.0",
        clientId: "sandbox",
        clientSecret: null
      })
      const failed = yield* Effect.flip(link.finish({ code: "a", redirectUri, verifier }))
      assert.include(failed.message, "FACEBOOK_CLIENT_SECRET")
    }).pipe(Effect.provide(withServers))
  )
})

describe("A Page's posts by their addresses", () => {
  it("Each kind of address names its post", () => {
    const { facts, rules } = facebookConformance
    const idOf = (path: string) => {
      const { account, key } = facts.postPath.exec(path)?.groups ?? {}
      return key === undefined ? undefined : [account, rules.postId("104", key), facts.lastingPath(key, "104")]
    }
    assert.deepStrictEqual(idOf("/acme.coffee/posts/122100000000001"), [
      "acme.coffee",
      "104_122100000000001",
      "/104/posts/122100000000001"
    ])
    assert.deepStrictEqual(idOf("/acme/posts/a-headline/122100000000001/")?.[1], "104_122100000000001")
    assert.deepStrictEqual(idOf("/104512345678900_122100000000001"), [
      "104512345678900",
      "104512345678900_122100000000001",
      "/104512345678900_122100000000001"
    ])
    assert.deepStrictEqual(idOf("/reel/132100000000001"), [undefined, "132100000000001", "/reel/132100000000001"])
    assert.deepStrictEqual(idOf("/acme/posts/pfbid02AbCdEfGhIjK")?.[0], "acme")
    for (const path of ["/acme", "/104512345678900", "/acme/photos/1", "/reel/x"]) assert.isUndefined(idOf(path))
  })
})
