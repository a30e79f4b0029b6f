import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { outcome, statusFault } from "../world.ts"
import { channelWorld } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

const redirectUri = "https://posts.example/callback"
const verifier = Redacted.make("a verifier")
const challenge = createHash("sha256").update("a verifier").digest("base64url")

const linkWorld = Effect.gen(function* () {
  const world = yield* channelWorld()
  const { consent, link } = world
  if (link.kind !== "consent") return assert.fail("YouTube has a page for its consent")
  const { authorizeUrl, finish } = link
  const grant = Effect.map(consent(challenge, redirectUri), (code) => ({ code, redirectUri, verifier }))
  return { ...world, authorizeUrl, finish, grant, link }
})

describe("Connecting a channel", () => {
  it.effect("The consent asks for lasting access each time, and a code works once", () =>
    Effect.gen(function* () {
      const { account, authorizeUrl, finish, grant } = yield* linkWorld
      const { searchParams } = new URL(authorizeUrl({ redirectUri, state: "a state", challenge }))
      assert.deepInclude(Object.fromEntries(searchParams), {
        access_type: "offline",
        prompt: "consent",
        code_challenge: challenge,
        state: "a state"
      })
      assert.strictEqual(searchParams.get("scope")?.split(" ").length, 3)
      const once = yield* grant
      const { accounts } = yield* finish(once)
      assert.deepStrictEqual(
        accounts.map(({ accountId, username }) => [accountId, username]),
        [[account.accountId, "team"]]
      )
      assert.strictEqual(yield* outcome(finish(once)), "NeedsReauthorization")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If Google gives several channels, each is offered", () =>
    Effect.gen(function* () {
      const { fail, finish, grant } = yield* linkWorld
      const once = yield* grant
      const channel = (id: string) => ({ id, snippet: { title: "Roastery" } })
      const ids = ["UCabcdefghijklmnopqrstuv", "UCzbcdefghijklmnopqrstuv"]
      yield* fail({ kind: "delay", ms: 0 }, "any", 1)
      yield* fail(
        statusFault(200, {
          body: JSON.stringify({ kind: "youtube#channelListResponse", items: ids.map(channel) })
        }),
        "any",
        1
      )
      const { accounts } = yield* finish(once)
      assert.deepStrictEqual(
        accounts.map(({ accountId }) => accountId),
        ids
      )
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An account without a channel, and a consent in part, are refused with what helps", () =>
    Effect.gen(function* () {
      const { fail, finish, grant } = yield* linkWorld
      const first = yield* grant
      yield* fail({ kind: "nulls" }, "any", 2)
      assert.include((yield* Effect.flip(finish(first))).message, "no YouTube channel")
      const answer = (more: object) => statusFault(200, { body: JSON.stringify({ access_token: "a", ...more }) })
      yield* fail(answer({ refresh_token: "r", scope: "https://www.googleapis.com/auth/youtube.upload" }), "any", 1)
      assert.include((yield* Effect.flip(finish(yield* grant))).message, "youtube.force-ssl")
      yield* fail(answer({}), "any", 1)
      assert.include((yield* Effect.flip(finish(yield* grant))).message, "for an hour only")
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Access that is withdrawn has to be connected again, and a wrong application has not", () =>
    Effect.gen(function* () {
      const { account, adapter, fail, withdraw } = yield* linkWorld
      const stale = yield* account.credentials.current
      yield* fail(statusFault(401, { body: JSON.stringify({ error: "invalid_client" }) }), "any", 1)
      assert.strictEqual(yield* outcome(adapter.renew(account, stale)), "Unavailable")
      yield* withdraw
      assert.strictEqual(yield* outcome(adapter.renew(account, stale)), "NeedsReauthorization")
    }).pipe(Effect.provide(withServers))
  )
})
