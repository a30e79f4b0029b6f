import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { AskAccount, askAccountLayer } from "../../src/accounts/AskAccount.ts"
import { IntegrationId, WorkspaceId } from "../../src/domain/ids.ts"
import type { DueAccount } from "../../src/domain/outlook/duePost.ts"
import { NeedsReauthorization, type PlatformError, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { AccountLinking } from "../../src/platforms/AccountLinking.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import type { PublishingState } from "../../src/repo/publishingState.ts"
import { scriptedSend } from "../publishing/scriptedSend.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const workspaceId = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000002")

const account: DueAccount = {
  id: IntegrationId.make("01a1fc17-dc2e-777d-ad63-000000000001"),
  platform: "twitter",
  accountId: "2244994945",
  username: "team",
  serviceUrl: null,
  status: "connected",
  accessUntil: null
}
const expired = { ...account, accessUntil: DateTime.makeUnsafe(0) }

const unexpected = () => Effect.die("It is not called")

interface Platform {
  readonly profile?: Effect.Effect<void, PlatformError>
  readonly renew?: Effect.Effect<void, PlatformError>
  readonly mentions?: PlatformAdapter["mentions"]
  readonly hold?: PublishingState["hold"]
}

const asking = ({ hold = Effect.succeedNone, mentions, profile = unexpected(), renew = unexpected() }: Platform) =>
  askAccountLayer.pipe(
    Layer.provide([
      fakeRepo({
        publishingState: { hold, lookAfterGap: unexpected() },
        integrations: { refreshCredentials: (_, __, renewed) => Effect.map(renewed, ({ credentials }) => credentials) }
      }),
      Layer.mock(AccountLinking, {
        profile: () => Effect.as(profile, { username: null, displayName: null, avatarUrl: null })
      }),
      Layer.succeed(
        PlatformClient,
        perPlatform(() => ({
          renew: () => Effect.as(renew, { credentials: Redacted.make("new") }),
          maxReconcileAttempts: 1,
          prepare: unexpected,
          ...scriptedSend(unexpected),
          reconcile: unexpected,
          find: unexpected,
          ...(mentions !== undefined && { mentions })
        }))
      )
    ])
  )

const ask = (platform: Platform, of = account) =>
  Effect.flatMap(AskAccount, ({ askAccount }) => askAccount(workspaceId, of)).pipe(Effect.provide(asking(platform)))

const away = new Unavailable({ message: "X did not say whose account this is: status 503" })

describe("AskAccount", () => {
  it.effect("An account whose access has not expired is asked about, and nothing is renewed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask({ profile: Effect.void }), { _tag: "Accepted" })
    })
  )

  it.effect("Access that has expired is renewed, as a post would, and a refusal is told", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask({ renew: Effect.void }, expired), { _tag: "Accepted" })
      const refused = new NeedsReauthorization({ message: "X no longer accepts this account's access" })
      assert.deepStrictEqual(yield* ask({ renew: Effect.fail(refused) }, expired), {
        _tag: "Refused",
        reason: "X no longer accepts this account's access"
      })
    })
  )

  it.effect("A platform that is away, or does not answer in time, leaves the account unchecked", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask({ profile: Effect.fail(away) }), {
        _tag: "Unchecked",
        reason: "X did not say whose account this is: status 503"
      })
      const late = yield* Effect.forkChild(ask({ profile: Effect.never }))
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual(yield* Fiber.join(late), { _tag: "Unchecked", reason: "X did not answer in time" })
    })
  )

  it.effect("While publishing is held after a restore nothing is asked, and nothing renewed", () =>
    Effect.gen(function* () {
      const hold = Effect.succeedSome({ since: DateTime.makeUnsafe(0), takenAt: null, restoredAt: null })
      assert.strictEqual((yield* ask({ hold }, expired))._tag, "Unchecked")
    })
  )

  it.effect("An answer is remembered for minutes, and asked for again after the account was connected anew", () =>
    Effect.gen(function* () {
      let asked = 0
      const profile = Effect.sync(() => void (asked += 1))
      yield* Effect.gen(function* () {
        const { askAccount } = yield* AskAccount
        yield* askAccount(workspaceId, account)
        yield* askAccount(workspaceId, account)
        assert.strictEqual(asked, 1)
        yield* askAccount(workspaceId, { ...account, accessUntil: DateTime.makeUnsafe("2030-01-31T09:00:00Z") })
        assert.strictEqual(asked, 2)
        yield* TestClock.adjust("5 minutes")
        yield* askAccount(workspaceId, account)
        assert.strictEqual(asked, 3)
      }).pipe(Effect.provide(asking({ profile })))
    })
  )

  it.effect("A mention is known, unknown or unchecked, as the platform says", () =>
    Effect.gen(function* () {
      const mentions: PlatformAdapter["mentions"] = {
        find: (text) => text.split(" "),
        isKnown: (handle) => (handle === "away" ? Effect.fail(away) : Effect.succeed(handle === "known"))
      }
      yield* Effect.gen(function* () {
        const { askMention, findMentions } = yield* AskAccount
        assert.deepStrictEqual(findMentions("twitter", "known away"), ["known", "away"])
        const tags = yield* Effect.forEach(["known", "unknown", "away"], (handle) =>
          Effect.map(askMention(workspaceId, account, handle), ({ _tag }) => _tag)
        )
        assert.deepStrictEqual(tags, ["Known", "Unknown", "Unchecked"])
      }).pipe(Effect.provide(asking({ mentions })))
    })
  )
})
