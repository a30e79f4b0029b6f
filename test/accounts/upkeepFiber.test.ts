import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { keepUpAccounts } from "../../src/accounts/upkeepFiber.ts"
import type { IntegrationId, WorkspaceId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { AccountLinking } from "../../src/platforms/AccountLinking.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { linkingWorld } from "./linkingWorld.ts"

/** A workspace with a sandbox account on a platform, and what tests do with it. */
const makeTeam = Effect.fn(function* (platform: LivePlatform) {
  const { integrations } = yield* Repo
  const sandbox = yield* Sandbox
  const workspace = yield* makeWorkspace([])
  const connect = sandbox.connect(platform, `team ${platform}`)
  const { accountId, ...connected } = yield* connect
  const { id } = yield* integrations.connect(workspace, { platform, accountId, ...connected })
  const rename = (username: string) => sandbox.changeAccount(platform, accountId, { username })
  const renew = (says: { username?: string; host?: string } = {}) =>
    Effect.gen(function* () {
      const stored = yield* integrations.credentials(id)
      const { credentials } = yield* connect
      yield* integrations.refreshCredentials(id, stored, Effect.succeed({ credentials, ...says }))
    })
  const username = Effect.map(integrations.list(workspace), ([account]) => account?.username)
  return { id, workspace, rename, renew, username }
})

layer(linkingWorld)("keepUpAccounts", (it) => {
  it.effect("An X account's handle is looked up after its access was renewed, and once a day at most", () =>
    Effect.gen(function* () {
      const { rename, renew, username } = yield* makeTeam("twitter")
      yield* rename("first")
      yield* renew()
      yield* keepUpAccounts
      assert.strictEqual(yield* username, "teamtwitter")
      yield* TestClock.adjust("1 day")
      yield* keepUpAccounts
      assert.strictEqual(yield* username, "teamtwitter")
      yield* renew()
      yield* keepUpAccounts
      assert.strictEqual(yield* username, "first")
      yield* rename("second")
      yield* renew()
      yield* keepUpAccounts
      assert.strictEqual(yield* username, "first")
      yield* TestClock.adjust("1 day")
      yield* renew()
      yield* keepUpAccounts
      assert.strictEqual(yield* username, "second")
    })
  )

  it.effect("What was looked up of an account says nothing of the one that was connected in its place meanwhile", () =>
    Effect.gen(function* () {
      const { integrations, profiles } = yield* Repo
      const { renew, username, workspace } = yield* makeTeam("twitter")
      yield* TestClock.adjust("1 day")
      yield* renew()
      const [stale] = yield* profiles.takeStale(20)
      if (stale === undefined) return assert.fail("Nothing was to be looked up")
      const next = { platform: "twitter" as const, ...(yield* (yield* Sandbox).connect("twitter", "next")) }
      yield* integrations.replaceAccount(workspace, next, { posts: "replace" })
      yield* profiles.store(stale, { username: "former", displayName: null, avatarUrl: null })
      assert.strictEqual(yield* username, next.username)
    })
  )

  it.effect("A look-up that the platform does not answer leaves the account as it is", () =>
    Effect.gen(function* () {
      const { faults } = yield* Sandbox
      const { rename, renew, username } = yield* makeTeam("twitter")
      const before = yield* username
      yield* TestClock.adjust("1 day")
      yield* rename("third")
      yield* renew()
      yield* faults.add({ platform: "twitter", call: "identity", fault: { kind: "status", status: 503 } })
      yield* keepUpAccounts
      assert.strictEqual(yield* username, before)
    })
  )

  it.effect("A renewal on Bluesky stores the handle and the host that it says, and keeps them where it says none", () =>
    Effect.gen(function* () {
      const { id, renew, username } = yield* makeTeam("bluesky")
      const sql = yield* SqlClient.SqlClient
      const host = Effect.map(sql`SELECT host FROM integrations WHERE id = ${id}::uuid`, ([row]) => row?.["host"])
      yield* renew({ username: "renamed.sandbox.test", host: "https://pds.example" })
      assert.deepStrictEqual([yield* username, yield* host], ["renamed.sandbox.test", "https://pds.example"])
      yield* TestClock.adjust("1 day")
      yield* renew()
      yield* keepUpAccounts
      assert.deepStrictEqual([yield* username, yield* host], ["renamed.sandbox.test", "https://pds.example"])
    })
  )

  it.effect("Access to an account that nobody decided on in time is ended", () =>
    Effect.gen(function* () {
      const { accountChanges } = yield* Repo
      const sandbox = yield* Sandbox
      const { workspace } = yield* makeTeam("twitter")
      const account = { platform: "twitter" as const, ...(yield* sandbox.connect("twitter", "late")) }
      yield* accountChanges.keep({ workspaceId: workspace, account }, {})
      const isAccepted = Effect.map((yield* AccountLinking).profile(account), ({ username }) => username)
      yield* TestClock.adjust("14 minutes")
      yield* keepUpAccounts
      assert.strictEqual(yield* isAccepted, "late")
      yield* TestClock.adjust("1 minute")
      yield* keepUpAccounts
      assert.strictEqual((yield* Effect.flip(isAccepted))._tag, "Unavailable")
      assert.deepStrictEqual(yield* accountChanges.takeExpired, [])
    })
  )

  const ends = {
    disconnected: Effect.fnUntraced(function* (id: IntegrationId) {
      yield* (yield* Repo).integrations.disconnect(id)
    }),
    replaced: Effect.fnUntraced(function* (_id: IntegrationId, workspace: WorkspaceId) {
      const next = { platform: "twitter" as const, ...(yield* (yield* Sandbox).connect("twitter", "next")) }
      yield* (yield* Repo).integrations.replaceAccount(workspace, next, { posts: "replace" })
    })
  }
  for (const [what, end] of Object.entries(ends)) {
    it.effect(`New access to an account that is ${what} during the renewal is not stored, and is ended`, () =>
      Effect.gen(function* () {
        const { integrations } = yield* Repo
        // An account that no other workspace has connected.
        const account = yield* (yield* Sandbox).connect("twitter", `to be ${what}`)
        const workspace = yield* makeWorkspace([])
        const { id } = yield* integrations.connect(workspace, { platform: "twitter", ...account })
        const stale = yield* integrations.credentials(id)
        const renewed = yield* (yield* Sandbox).connect("twitter", `to be ${what}`)
        const renew = Effect.as(Effect.orDie(end(id, workspace)), { credentials: renewed.credentials })
        const context = yield* Effect.context<Repo | Sandbox>()
        const refresh = integrations.refreshCredentials(
          id,
          stale,
          Effect.provideContext(renew, context),
          account.accountId
        )
        assert.strictEqual((yield* Effect.flip(refresh))._tag, "Unavailable")
        const isAccepted = Effect.option((yield* AccountLinking).profile({ platform: "twitter", ...renewed }))
        assert.isTrue(Option.isSome(yield* isAccepted))
        yield* keepUpAccounts
        assert.isTrue(Option.isNone(yield* isAccepted))
        assert.deepStrictEqual(yield* integrations.takeUnwanted, [])
      })
    )
  }

  it.effect("New access to an account that was connected again during the renewal is left alone", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const sandbox = yield* Sandbox
      const { id, workspace } = yield* makeTeam("twitter")
      const account = { platform: "twitter" as const, ...(yield* sandbox.connect("twitter", "team twitter")) }
      const stale = yield* integrations.credentials(id)
      const renew = Effect.as(Effect.orDie(integrations.connect(workspace, account)), {
        credentials: Redacted.make("late")
      })
      const used = yield* integrations.refreshCredentials(id, stale, renew, account.accountId)
      assert.strictEqual(Redacted.value(used), Redacted.value(account.credentials))
      assert.deepStrictEqual(yield* integrations.takeUnwanted, [])
    })
  )
})
