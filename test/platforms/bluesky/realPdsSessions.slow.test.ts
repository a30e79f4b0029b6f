import { assert, describe, layer } from "@effect/vitest"
import { Clock, DateTime, Duration, Effect, Redacted, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { linkBluesky, unlinkBluesky } from "./link.ts"
import { RateLimited } from "../../../src/domain/publishing/platformError.ts"
import { decodeSession } from "../../../src/platforms/bluesky/session.ts"
import { Pds, expired } from "../../support/pds/pds.ts"
import { changeTokens, makeMember, member, pdsWorld, putRecord, refreshSession } from "./pdsWorld.ts"
import { outcome, start, storedAccount } from "../world.ts"

const decodeClaims = Schema.decodeSync(
  Schema.StringFromBase64Url.pipe(Schema.decodeTo(Schema.fromJsonString(Schema.Struct({ jti: Schema.NonEmptyString }))))
)

/** The id of a refresh token. */
const tokenId = (token: string): string => decodeClaims(token.split(".")[1] ?? "").jti

const withWrongSignature = (token: string) => `${token.slice(0, -8)}AAAAAAAA`

/** More than the hour in which a send is repeated. */
const longAgo = Effect.map(DateTime.now, DateTime.subtractDuration("61 minutes"))

/** An account for one test, which changes it so that others could not use it. */
const own = (name: string) => Effect.flatMap(Pds, (pds) => makeMember(pds, name))

layer(pdsWorld())("On a real PDS", (it) => {
  describe("A session on a real PDS", () => {
    it.effect("Two workspaces with one account renew their sessions at once, time after time, and both go on", () =>
      Effect.gen(function* () {
        const { adapter, connected, pds, person, posts, prepare } = yield* member
        const login = { service: pds.url, identifier: person.handle, password: person.appPassword }
        const others = yield* Effect.forEach([1, 2], () => Effect.flatMap(linkBluesky(login), storedAccount))
        for (let round = 0; round < 3; round++) {
          yield* Effect.forEach(others, ({ stored }) =>
            Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
          )
          const sent = yield* Effect.forEach(
            others,
            ({ account }) =>
              Effect.flatMap(prepare(`Round ${round}`), (prepared) => sendPost(adapter, prepared, account)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(sent, 2)
        }
        assert.lengthOf(yield* posts, 6)
        // One workspace disconnects the account; the other one keeps its session.
        const [one, other] = others
        yield* unlinkBluesky({ service: pds.url, credentials: yield* Ref.get(one?.stored ?? assert.fail()) })
        const left = other ?? assert.fail()
        yield* Ref.update(left.stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
        yield* sendPost(adapter, yield* prepare("The other one"), left.account)
        assert.strictEqual(left.account.accountId, connected.accountId)
      })
    )

    it.effect.each([
      ["has expired", "ExpiredToken", expired],
      ["the PDS can't verify", "InvalidToken", withWrongSignature]
    ] as const)("A session whose access token %s is renewed, stored and used", ([, error, change]) =>
      Effect.gen(function* () {
        const { posts, publish, relay, stored } = yield* member
        yield* Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: change }))
        const before = yield* decodeSession(yield* Ref.get(stored))
        yield* publish("With a new token")
        const after = yield* decodeSession(yield* Ref.get(stored))
        assert.notStrictEqual(after.accessJwt, before.accessJwt)
        assert.notStrictEqual(after.refreshJwt, before.refreshJwt)
        const responses = (yield* relay.passed).slice(-3).map(({ response, method }) => [method, response?.status])
        assert.deepStrictEqual(responses, [
          [putRecord, 400],
          [refreshSession, 200],
          [putRecord, 200]
        ])
        assert.include((yield* relay.passed).at(-3)?.response?.body.toString(), error)
        yield* publish("With the stored token")
        assert.strictEqual((yield* relay.passed).at(-1)?.response?.status, 200)
        assert.lengthOf(yield* posts, 2)
      })
    )

    it.effect.each(["before the server", "before the response", "within the response"] as const)(
      "A session whose renewal is cut %s is renewed by the next attempt with the same refresh token",
      (cut) =>
        Effect.gen(function* () {
          const { posts, publish, relay, stored } = yield* member
          const old = yield* Ref.updateAndGet(stored, (credentials) =>
            changeTokens(credentials, { accessJwt: expired })
          )
          yield* relay.cutNext(refreshSession, cut, cut)
          assert.strictEqual(yield* outcome(publish("Renewed in vain")), "Unavailable")
          assert.strictEqual(yield* outcome(publish("Renewed in vain")), "Unavailable")
          assert.strictEqual(Redacted.value(yield* Ref.get(stored)), Redacted.value(old))
          assert.lengthOf(yield* posts, 0)
          yield* publish("Renewed")
          assert.lengthOf(yield* posts, 1)
        })
    )

    it.effect(
      "An expired session is renewed later if the response about it is cut off, and the post is not rejected",
      () =>
        Effect.gen(function* () {
          const { account, adapter, posts, prepare, relay, stored } = yield* member
          yield* Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
          const prepared = yield* prepare("Not refused")
          yield* relay.cutNext(putRecord, "within the response", "within the response")
          assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
          assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
          yield* sendPost(adapter, prepared, account)
          assert.lengthOf(yield* posts, 1)
        })
    )

    it.effect("Concurrent renewals of a session give the same refresh token", () =>
      Effect.gen(function* () {
        const { adapter, connected, posts, prepare } = yield* member
        const credentials = changeTokens(connected.credentials, { accessJwt: expired })
        const prepared = yield* prepare("From many")
        const others = yield* Effect.forEach([1, 2, 3, 4], () => storedAccount({ ...connected, credentials }))
        yield* Effect.forEach(others, (other) => sendPost(adapter, prepared, other.account), {
          concurrency: "unbounded"
        })
        const renewed = yield* Effect.forEach(others, ({ stored }) => Effect.flatMap(Ref.get(stored), decodeSession))
        // The token's text differs, because the PDS adds the time.
        assert.lengthOf(new Set(renewed.map(({ refreshJwt }) => tokenId(refreshJwt))), 1)
        assert.lengthOf(yield* posts, 1)
      })
    )

    it.effect.each([
      ["that has expired", expired],
      ["the PDS can't verify", withWrongSignature]
    ] as const)("A session needs reauthorization with a refresh token %s", ([, change]) =>
      Effect.gen(function* () {
        const { posts, publish, stored } = yield* member
        yield* Ref.update(stored, (credentials) =>
          changeTokens(credentials, { accessJwt: expired, refreshJwt: change })
        )
        const error = yield* Effect.flip(publish("No"))
        assert.strictEqual(error._tag, "NeedsReauthorization")
        assert.include(error.message, "connect the account again")
        assert.lengthOf(yield* posts, 0)
      })
    )

    it.effect(
      "A session whose app password was revoked lasts until its access token expires, and then needs reauthorization",
      () =>
        Effect.gen(function* () {
          const { connected, person, pds, posts, publish, stored } = yield* own("revoked")
          yield* Effect.promise(() =>
            person.agent.com.atproto.server.revokeAppPassword({ name: person.appPasswordName })
          )
          yield* publish("The PDS takes this still")
          yield* Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
          const error = yield* Effect.flip(publish("No"))
          assert.strictEqual(error._tag, "NeedsReauthorization")
          assert.include(error.message, "Token has been revoked")
          const login = { service: pds.url, identifier: connected.username, password: person.appPassword }
          assert.strictEqual(yield* outcome(linkBluesky(login)), "LinkRefused")
          assert.lengthOf(yield* posts, 1)
        })
    )
  })

  describe("unlinkBluesky", () => {
    it.effect("The PDS renews an ended session no more, and ends it again without an error", () =>
      Effect.gen(function* () {
        const { connected, posts, publish, relay, stored } = yield* own("unlinked")
        const session = { service: relay.url, credentials: connected.credentials }
        yield* unlinkBluesky(session)
        yield* unlinkBluesky(session)
        yield* Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
        assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
        assert.lengthOf(yield* posts, 0)
      })
    )

    it.effect("An expired session can be ended, and one that the PDS can't verify has ended", () =>
      Effect.gen(function* () {
        const { connected, pds } = yield* own("unlinked-late")
        for (const change of [expired, withWrongSignature]) {
          const credentials = changeTokens(connected.credentials, { refreshJwt: change })
          assert.strictEqual(yield* outcome(unlinkBluesky({ service: pds.url, credentials })), "success")
        }
      })
    )
  })

  describe("a handle that changes", () => {
    it.effect("The session's next renewal says the handle that the account has by then", () =>
      Effect.gen(function* () {
        const { person, publish, renewed, stored } = yield* own("before-marriage")
        yield* Effect.promise(() => person.agent.com.atproto.identity.updateHandle({ handle: "after-marriage.test" }))
        yield* Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
        yield* publish("Under a new name")
        assert.strictEqual((yield* Ref.get(renewed))?.username, "after-marriage.test")
      })
    )
  })

  describe("linkBluesky", () => {
    it.effect.each(["with an @", "in capitals", "as a DID", "as an e-mail address"] as const)(
      "An account can be linked by its name %s",
      (how) =>
        Effect.gen(function* () {
          const { connected, pds, person } = yield* member
          const identifier = {
            "with an @": `@${person.handle}`,
            "in capitals": ` ${person.handle.toUpperCase()} `,
            "as a DID": person.did,
            "as an e-mail address": person.email
          }[how]
          const again = yield* linkBluesky({ service: pds.url, identifier, password: person.appPassword })
          assert.deepStrictEqual(
            { ...again, credentials: null },
            { ...connected, serviceUrl: pds.url, host: pds.url, credentials: null }
          )
          assert.strictEqual(again.accountId, person.did)
          assert.strictEqual(again.username, person.handle)
        })
    )

    it.effect("A wrong password and an unknown name are refused without the PDS's own message", () =>
      Effect.gen(function* () {
        const { pds, person } = yield* member
        const logins = [
          { identifier: person.handle, password: Redacted.make("abcd-efgh-ijkl-mnop") },
          { identifier: "nobody.test", password: person.appPassword },
          { identifier: "", password: Redacted.make("") }
        ]
        const errors = yield* Effect.forEach(
          logins,
          (login) => Effect.flip(linkBluesky({ service: pds.url, ...login })),
          { concurrency: "unbounded" }
        )
        for (const error of errors) {
          assert.strictEqual(error._tag, "LinkRefused")
          assert.include(error.message, "Bluesky does not accept this handle with this app password")
          assert.notInclude(error.message, "Invalid identifier or password")
        }
      })
    )
  })

  describe("a closed account", () => {
    it.effect("An account that was taken down has to be connected again, and can't be linked meanwhile", () =>
      Effect.gen(function* () {
        const { pds, person, publish, relay, stored } = yield* own("taken-down")
        yield* pds.takeDown(person.did)
        const error = yield* Effect.flip(publish("Hello"))
        assert.strictEqual(error._tag, "NeedsReauthorization")
        assert.include(error.message, "Account has been taken down")
        yield* Ref.update(stored, (credentials) => changeTokens(credentials, { accessJwt: expired }))
        assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
        const login = { service: relay.url, identifier: person.handle, password: person.appPassword }
        assert.strictEqual(yield* outcome(linkBluesky(login)), "LinkRefused")
      })
    )

    it.effect("An account that was deleted needs reauthorization", () =>
      Effect.gen(function* () {
        const { account, adapter, pds, person, prepare, publish } = yield* own("deleted")
        const prepared = yield* prepare("Sent long before")
        yield* pds.deleteAccount(person.did)
        assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
        assert.notStrictEqual(yield* outcome(adapter.reconcile(prepared, account, yield* longAgo)), "success")
      })
    )

    it.effect("A deactivated account leaves the outcome of an earlier send unknown until it is activated again", () =>
      Effect.gen(function* () {
        const { account, adapter, person, posts, prepare, publish, relay } = yield* own("on-leave")
        const [sent, unsent] = [yield* prepare("Sent before the account was closed"), yield* prepare("Never sent")]
        yield* relay.cutNext(putRecord, "before the response")
        assert.strictEqual(yield* outcome(sendPost(adapter, sent, account)), "OutcomeUnknown")
        yield* Effect.promise(() => person.agent.com.atproto.server.deactivateAccount({}))
        assert.strictEqual(yield* outcome(publish("Sent while it is closed")), "NeedsReauthorization")
        const error = yield* Effect.flip(adapter.reconcile(sent, account, yield* DateTime.now))
        assert.strictEqual(error._tag, "NeedsReauthorization")
        assert.include(error.message, "Account is deactivated")
        // The PDS asks the rest of the network for the records of a closed account, and nobody answers here.
        assert.strictEqual(yield* outcome(adapter.reconcile(sent, account, yield* longAgo)), "OutcomeUnknown")
        const login = { service: relay.url, identifier: person.handle, password: person.appPassword }
        assert.include((yield* Effect.flip(linkBluesky(login))).message, "closed this account")
        yield* Effect.promise(() => person.agent.com.atproto.server.activateAccount())
        yield* adapter.reconcile(sent, account, yield* longAgo)
        const missing = yield* Effect.flip(adapter.reconcile(unsent, account, yield* longAgo))
        assert.isTrue(missing._tag === "OutcomeUnknown" && missing.conclusive)
        assert.lengthOf(yield* posts, 1)
      })
    )

    it.effect("The PDS says of a closed account why it is closed, where a record is not shown", () =>
      Effect.gen(function* () {
        const { account, pds, person } = yield* own("closed")
        const response = yield* Effect.promise(() =>
          person.agent.com.atproto.server
            .deactivateAccount({})
            .then(() => fetch(`${pds.url}/xrpc/com.atproto.sync.getRepoStatus?did=${account.accountId}`))
            .then((answer) => answer.json())
        )
        assert.deepInclude(response, { active: false, status: "deactivated" })
      })
    )

    it.effect("A post that was prepared for one account is never published on the next", () =>
      Effect.gen(function* () {
        const { account, adapter, posts, prepare, relay } = yield* member
        const next = yield* own("next")
        const inDoubt = yield* prepare("Sent before another account was connected")
        yield* relay.cutNext(putRecord, "before the response")
        assert.strictEqual(yield* outcome(sendPost(adapter, inDoubt, account)), "OutcomeUnknown")
        assert.strictEqual(yield* outcome(adapter.reconcile(inDoubt, next.account, start)), "Unavailable")
        const unsent = yield* prepare("Not sent before another account was connected")
        for (const prepared of [inDoubt, unsent]) {
          const error = yield* Effect.flip(sendPost(adapter, prepared, next.account))
          assert.strictEqual(error._tag, "Rejected")
          assert.include(error.message, "Publish it again to send it from next.test")
        }
        assert.lengthOf(yield* next.posts, 0)
        yield* adapter.reconcile(inDoubt, account, start)
        assert.lengthOf(yield* posts, 1)
      })
    )
  })
})

layer(pdsWorld({ rateLimits: true }))("A real PDS with rate limits", (it) => {
  const realTime = Effect.flatMap(TestClock.withLive(Clock.currentTimeMillis), TestClock.setTime)

  it.effect("A rate limit has an end, until which the post waits", () =>
    Effect.gen(function* () {
      const { account, adapter, person, posts, prepare, relay } = yield* member
      yield* realTime
      const prepared = yield* prepare("Over the limit")
      // Of 5,000 points an hour a put costs two and a delete one, even if it deletes nothing.
      const writes = Array.from({ length: 4999 }, () => ({
        $type: "com.atproto.repo.applyWrites#delete" as const,
        collection: "app.bsky.feed.post" as const,
        rkey: "none"
      }))
      const spend = () => person.agent.com.atproto.repo.applyWrites({ repo: person.did, writes })
      yield* Effect.exit(Effect.tryPromise(spend))
      const error = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.instanceOf(error, RateLimited)
      const { headers, status } = (yield* relay.passed).at(-1)?.response ?? {}
      assert.strictEqual(status, 429)
      const now = yield* DateTime.now
      // The PDS has a clock of its own, which has gone on meanwhile.
      const ahead = DateTime.toEpochMillis(now) - Date.parse(headers?.["date"] ?? "")
      const reset = Number(headers?.["ratelimit-reset"]) * 1000 + ahead
      // The PDS rounds the reset down and Retry-After up, so that either may be later.
      const retry = DateTime.toEpochMillis(now) + Number(headers?.["retry-after"]) * 1000
      assert.strictEqual(DateTime.toEpochMillis(error.until), Math.max(reset, retry))
      assert.closeTo(Duration.toMinutes(DateTime.distance(now, error.until)), 60, 1)
      assert.lengthOf(yield* posts, 0)
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "RateLimited")
    })
  )

  it.effect("A rate limit of log-ins is distinguished from a wrong password", () =>
    Effect.gen(function* () {
      const { url } = yield* Pds
      yield* realTime
      const login = linkBluesky({ service: url, identifier: "nobody.test", password: Redacted.make("wrong") })
      // As many as the PDS accepts of one name in five minutes.
      const results = yield* Effect.replicateEffect(outcome(login), 30, { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(results)], ["LinkRefused"])
      const error = yield* Effect.flip(login)
      assert.instanceOf(error, RateLimited)
      assert.closeTo(Duration.toMinutes(DateTime.distance(yield* DateTime.now, error.until)), 5, 1)
    })
  )
})
