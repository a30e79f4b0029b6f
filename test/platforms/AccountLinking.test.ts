import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { sendPost } from "../../src/platforms/carryOut.ts"
import { loginName } from "../../src/platforms/bluesky/loginName.ts"
import type { LinkRefused, PlatformError } from "../../src/domain/publishing/platformError.ts"
import { AccountLinking, makeConsentRequest } from "../../src/platforms/AccountLinking.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { sandboxAppPassword } from "../../src/platforms/bluesky/standIn/sessions.ts"
import type { Fault } from "../../src/sandbox/state/faults.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { makeTwitterLink } from "../../src/platforms/twitter/link.ts"
import { connectTwitter } from "../../src/platforms/twitter/live.ts"
import { sandboxApplication } from "../../src/platforms/twitter/standIn/tokenEndpoint.ts"
import { linkBluesky } from "./bluesky/link.ts"
import { baseUrl, outcome, storedAccount, targetId, world } from "./world.ts"

describe("linkBluesky", () => {
  const login = Effect.fn(function* (changes: { identifier?: string; password?: string; service?: string } = {}) {
    const sandbox = yield* Sandbox
    return yield* linkBluesky({
      service: changes.service ?? sandbox.apiUrls.bluesky,
      identifier: changes.identifier ?? "@acme.sandbox.test",
      password: Redacted.make(changes.password ?? sandboxAppPassword)
    })
  })

  it.effect("A linked account has a name, and can be published to", () =>
    Effect.gen(function* () {
      const account = yield* login()
      assert.strictEqual(account.username, "acme.sandbox.test")
      assert.strictEqual(account.displayName, "Acme")
      assert.match(account.accountId, /^did:plc:[a-z2-7]{24}$/)
      assert.strictEqual(account.accountId, (yield* login()).accountId)
      assert.strictEqual(account.serviceUrl, (yield* Sandbox).apiUrls.bluesky)
      const { bluesky } = yield* PlatformClient
      const { account: stored } = yield* storedAccount(account)
      const prepared = yield* bluesky.prepare({ targetId, text: "Hello", settings: {} }, stored)
      assert.strictEqual(yield* outcome(sendPost(bluesky, prepared, stored)), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["with the invisible marks that Bluesky puts around it", "\u202A@acme.sandbox.test\u202C"],
    ["with marks on both sides of the @", " \u200E@\u2068acme.sandbox.test\u2069 "],
    ["in capitals", "@Acme.Sandbox.TEST"]
  ] satisfies Array<[string, string]>)("A handle that was copied %s is the account's", ([, identifier]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* login({ identifier })).username, "acme.sandbox.test")
    }).pipe(Effect.provide(world()))
  )

  it.each([
    ["alice", "https://bsky.social", "alice.bsky.social"],
    ["@alice", "https://bsky.social", "alice.bsky.social"],
    ["alice", "https://pds.example:8443", "alice.pds.example"],
    ["alice", "http://127.0.0.1:2583", "alice"],
    ["alice", "http://localhost:2583", "alice"],
    ["alice.example", "https://bsky.social", "alice.example"],
    ["ada@pds.example", "https://bsky.social", "ada@pds.example"],
    [" @ alice.example\n", "https://bsky.social", "alice.example"],
    ["https://bsky.app/profile/alice.example", "https://bsky.social", "alice.example"],
    ["bsky.app/profile/alice.example/", "https://bsky.social", "alice.example"],
    ["https://bsky.app/profile/alice.example/post/3lhxkz7ab2c2d?a=b#c", "https://bsky.social", "alice.example"],
    ["https://bsky.app/profile/@alice.example", "https://bsky.social", "alice.example"],
    [
      "https://bsky.app/profile/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz",
      "https://pds.example",
      "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    ],
    ["at://alice.example", "https://bsky.social", "alice.example"],
    [
      "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3l",
      "https://bsky.social",
      "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    ],
    ["did:plc:ewvi7nxzyoun6zhxrhs64oiz", "https://bsky.social", "did:plc:ewvi7nxzyoun6zhxrhs64oiz"]
  ])("%s at %s logs in as %s", (written, service, identifier) => {
    assert.strictEqual(loginName(written, service), identifier)
  })

  it.effect("An app password that was copied with white space and invisible marks is accepted", () =>
    Effect.gen(function* () {
      const password = ` \u200B${sandboxAppPassword}\n`
      assert.strictEqual((yield* login({ password })).username, "acme.sandbox.test")
    }).pipe(Effect.provide(world()))
  )

  it.effect("The credentials do not contain the password", () =>
    Effect.gen(function* () {
      assert.notInclude(Redacted.value((yield* login()).credentials), sandboxAppPassword)
    }).pipe(Effect.provide(world()))
  )

  it.effect("An account is linked without its profile if that can't be fetched", () =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox
      yield* faults.add({ platform: "bluesky", call: "identity", fault: { kind: "status", status: 502 } })
      assert.isNull((yield* login()).displayName)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["a wrong password", { password: "wrong" }, "LinkRefused"],
    ["an unknown handle", { identifier: "nobody.test" }, "LinkRefused"],
    ["an http address, on which the password would not be encrypted", { service: "http://pds.example" }, "LinkRefused"],
    ["an address that is not a URL", { service: "bsky" }, "LinkRefused"],
    ["a service that can't be reached", { service: "http://127.0.0.1:1" }, "Unavailable"]
  ] satisfies Array<[string, object, (PlatformError | LinkRefused)["_tag"]]>)(
    "A log-in with %s fails",
    ([, changes, expected]) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* outcome(login(changes)), expected)
      }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["too many attempts", { kind: "status", status: 429 }, "RateLimited"],
    ["a required second factor", { kind: "status", status: 401, error: "AuthFactorTokenRequired" }, "LinkRefused"],
    ["a server error", { kind: "status", status: 500 }, "Unavailable"],
    ["a body that can't be decoded", { kind: "status", status: 200, body: "{}" }, "Unavailable"]
  ] satisfies Array<[string, Fault, (PlatformError | LinkRefused)["_tag"]]>)(
    "A log-in that meets %s fails",
    ([, fault, expected]) =>
      Effect.gen(function* () {
        const { faults } = yield* Sandbox
        yield* faults.add({ platform: "bluesky", call: "session", fault })
        assert.strictEqual(yield* outcome(login()), expected)
      }).pipe(Effect.provide(world()))
  )
})

describe("Linking an X account", () => {
  const redirectUri = `${baseUrl}/integrations/twitter/callback`
  const crypto = [SecureRandom.layerWebCrypto, Digest.layerWebCrypto] as const
  const link = Effect.map(Sandbox, ({ apiUrls }) =>
    makeTwitterLink({
      apiUrl: apiUrls.twitter,
      webUrl: `${baseUrl}/sandbox/twitter`,
      clientId: sandboxApplication.clientId,
      clientSecret: Redacted.make(sandboxApplication.clientSecret)
    })
  )

  /** A person agrees to a fresh authorization request. */
  const authorize = Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const authorization = yield* makeConsentRequest()
    const url = new URL((yield* link).authorizeUrl({ redirectUri, ...authorization }))
    const challenge = url.searchParams.get("code_challenge") ?? ""
    return { ...authorization, url, code: yield* sandbox.consent("twitter", { redirectUri, challenge }) }
  }).pipe(Effect.provide([...crypto]))

  it.effect("Each authorization request has the scopes that publishing needs, and its own challenge and state", () =>
    Effect.gen(function* () {
      const first = yield* authorize
      const second = yield* authorize
      assert.strictEqual(`${first.url.origin}${first.url.pathname}`, `${baseUrl}/sandbox/twitter/i/oauth2/authorize`)
      assert.strictEqual(
        first.url.searchParams.get("scope"),
        "tweet.read tweet.write users.read media.write offline.access"
      )
      assert.strictEqual(first.url.searchParams.get("code_challenge_method"), "S256")
      assert.match(Redacted.value(first.verifier), /^[A-Za-z0-9_-]{43,128}$/)
      assert.notStrictEqual(first.state, second.state)
      assert.notStrictEqual(Redacted.value(first.verifier), Redacted.value(second.verifier))
    }).pipe(Effect.provide(world()))
  )

  it.effect("Without an application of the operator nothing begins, and the missing variable is named", () =>
    Effect.gen(function* () {
      const standIns = (yield* Sandbox).platforms(baseUrl)
      const unset = connectTwitter({ apiUrl: "http://127.0.0.1:9", webUrl: "", clientId: "", clientSecret: null })
      const linking = AccountLinking.layer({ ...standIns, twitter: unset }, baseUrl, "live")
      const begun = Effect.flatMap(AccountLinking, ({ begin }) => begin("twitter"))
      const { message } = yield* Effect.flip(begun.pipe(Effect.provide(linking), Effect.provide([...crypto])))
      assert.strictEqual(message, "TWITTER_CLIENT_ID: required to connect X accounts")
    }).pipe(Effect.provide(world()))
  )

  it.effect("Nothing begins, and nobody logs in, on a platform that is not enabled", () =>
    Effect.gen(function* () {
      const linking = AccountLinking.layer((yield* Sandbox).platforms(baseUrl), baseUrl, "sandbox", [])
      const refusals = Effect.gen(function* () {
        const { begin, logIn } = yield* AccountLinking
        const begun = yield* Effect.flip(begin("twitter"))
        const values = { identifier: "acme.sandbox.test", app_password: Redacted.make(sandboxAppPassword) }
        const loggedIn = yield* Effect.flip(logIn("bluesky", values))
        return [begun.message, loggedIn.message]
      }).pipe(Effect.provide(linking), Effect.provide([...crypto]))
      assert.deepStrictEqual(yield* refusals, [
        "twitter is still in platform review and can't be connected yet",
        "bluesky is still in platform review and can't be connected yet"
      ])
    }).pipe(Effect.provide(world()))
  )

  it.effect("A linked account can be published to", () =>
    Effect.gen(function* () {
      const { code, verifier } = yield* authorize
      const { accounts } = yield* (yield* link).finish({ code, verifier, redirectUri })
      const account = yield* Effect.fromNullishOr(accounts[0])
      assert.strictEqual(account.username, "visitor")
      const { twitter } = yield* PlatformClient
      const { account: stored } = yield* storedAccount(account)
      const prepared = yield* twitter.prepare({ targetId, text: "Hello", settings: {} }, stored)
      assert.strictEqual(yield* outcome(sendPost(twitter, prepared, stored)), "success")
    }).pipe(Effect.provide(world()))
  )

  it.effect("A code works once, and only with the verifier and the redirect URI of its request", () =>
    Effect.gen(function* () {
      const { code, verifier } = yield* authorize
      const exchange = (grant: { code: string; verifier: Redacted.Redacted; redirectUri: string }) =>
        Effect.flatMap(link, ({ finish }) => outcome(finish(grant)))
      assert.strictEqual(yield* exchange({ code, verifier, redirectUri }), "success")
      assert.strictEqual(yield* exchange({ code, verifier, redirectUri }), "NeedsReauthorization")
      const other = yield* authorize
      assert.strictEqual(yield* exchange({ ...other, verifier, redirectUri }), "NeedsReauthorization")
      const third = yield* authorize
      assert.strictEqual(yield* exchange({ ...third, redirectUri: `${redirectUri}/elsewhere` }), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )

  it.effect("Revoked access can neither publish nor be renewed", () =>
    Effect.gen(function* () {
      const { code, verifier } = yield* authorize
      const { finish, revoke } = yield* link
      const { accounts } = yield* finish({ code, verifier, redirectUri })
      const connected = yield* Effect.fromNullishOr(accounts[0])
      const { account } = yield* storedAccount(connected)
      const { twitter } = yield* PlatformClient
      const prepared = yield* twitter.prepare({ targetId, text: "Hello", settings: {} }, account)
      yield* revoke(connected)
      assert.strictEqual(yield* outcome(sendPost(twitter, prepared, account)), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )

  it.effect("Revoking succeeds although X does not answer, because access ends without it in time", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const connected = yield* sandbox.connect("twitter", "acme")
      yield* sandbox.faults.add({
        platform: "twitter",
        call: "session",
        fault: { kind: "reset", when: "before_commit" }
      })
      yield* (yield* link).revoke(connected)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Linking fails if X does not return the account", () =>
    Effect.gen(function* () {
      const { code, verifier } = yield* authorize
      yield* (yield* Sandbox).faults.add({
        platform: "twitter",
        call: "identity",
        fault: { kind: "status", status: 403, detail: "Not now" }
      })
      const error = yield* Effect.flip((yield* link).finish({ code, verifier, redirectUri }))
      assert.strictEqual(error._tag, "Unavailable")
      assert.include(error.message, "Not now")
    }).pipe(Effect.provide(world()))
  )
})
