import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CredentialCipher } from "../../../src/repo/integrations/CredentialCipher.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"

const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const cipher = (first: number, ...rest: ReadonlyArray<number>) =>
  Effect.provide(
    CredentialCipher,
    CredentialCipher.layer([keyOf(first), ...rest.map(keyOf)]).pipe(Layer.provide(NodeCrypto.layer))
  )

const secret = Redacted.make("canary-5f1c")

describe("CredentialCipher", () => {
  it.effect("what was sealed opens in its own row and in no other", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* cipher(1)
      const sealed = yield* seal("integrations/1/credentials", secret)
      assert.notInclude(Buffer.from(sealed).toString("latin1"), "canary")
      assert.strictEqual(Redacted.value(yield* open("integrations/1/credentials", sealed)), "canary-5f1c")
      assert.strictEqual((yield* Effect.flip(open("integrations/2/credentials", sealed)))._tag, "CredentialsUnreadable")
    })
  )

  it.effect("sealing twice gives two values, and a changed byte opens neither", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* cipher(1)
      const sealed = yield* seal("row", secret)
      assert.notDeepEqual(sealed, yield* seal("row", secret))
      for (let index = 0; index < sealed.length; index++) {
        const changed = Uint8Array.from(sealed, (byte, at) => (at === index ? byte ^ 1 : byte))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(open("row", changed))), `byte ${index}`)
      }
    })
  )

  it.effect("an older key opens what it sealed while it stands in the list, and no longer", () =>
    Effect.gen(function* () {
      const old = yield* cipher(1)
      const rotated = yield* cipher(2, 1)
      const sealed = yield* old.seal("row", secret)
      assert.isFalse(rotated.isCurrent(sealed))
      assert.isTrue(rotated.isCurrent(yield* rotated.seal("row", secret)))
      assert.strictEqual(Redacted.value(yield* rotated.open("row", sealed)), "canary-5f1c")
      const error = yield* Effect.flip((yield* cipher(2)).open("row", sealed))
      assert.include(error.message, "ENCRYPTION_KEY")
    })
  )
})

const connectedAccount = Effect.gen(function* () {
  const { integrations } = yield* Repo
  const workspace = yield* makeWorkspace(["twitter"])
  const [found] = yield* integrations.list(workspace)
  if (found === undefined) return yield* Effect.die("no integration")
  return { workspace, id: found.id }
})

layer(repoLayer)("Stored credentials", (it) => {
  it.effect("stand in the database encrypted alone", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id } = yield* connectedAccount
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        text: string
      }>`SELECT encode(credentials, 'escape') AS text FROM integrations WHERE id = ${id}::uuid`
      assert.notInclude(row?.text ?? "credentials of", "credentials of")
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
    })
  )

  it.effect("are refreshed once by however many find them run out at the same time", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id } = yield* connectedAccount
      const seen = yield* integrations.credentials(id)
      const begun = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<Redacted.Redacted>()
      let renewals = 0
      const renew = Effect.suspend(() => {
        renewals += 1
        return Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answer))
      })
      const first = yield* Effect.forkChild(integrations.refreshCredentials(id, seen, renew))
      yield* Deferred.await(begun)
      const others = yield* Effect.forkChild(
        TestClock.withLive(
          Effect.all(
            Array.from({ length: 5 }, () => integrations.refreshCredentials(id, seen, renew)),
            { concurrency: "unbounded" }
          )
        )
      )
      yield* Deferred.succeed(answer, Redacted.make("renewed"))
      assert.strictEqual(Redacted.value(yield* Fiber.join(first)), "renewed")
      assert.deepStrictEqual(
        (yield* Fiber.join(others)).map(Redacted.value),
        Array.from({ length: 5 }, () => "renewed")
      )
      assert.strictEqual(renewals, 1)
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "renewed")
    })
  )

  it.effect("stay as they are where renewing them fails", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id } = yield* connectedAccount
      const seen = yield* integrations.credentials(id)
      assert.strictEqual(
        yield* Effect.flip(integrations.refreshCredentials(id, seen, Effect.fail("refused" as const))),
        "refused"
      )
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "credentials of twitter")
    })
  )

  it.effect("are forgotten when the account is disconnected, and it keeps its id when it is connected again", () =>
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const { id, workspace } = yield* connectedAccount
      yield* integrations.disconnect(id)
      assert.deepStrictEqual(yield* integrations.list(workspace), [])
      assert.strictEqual((yield* Effect.flip(integrations.credentials(id)))._tag, "CredentialsUnreadable")
      assert.strictEqual((yield* Effect.flip(integrations.disconnect(id)))._tag, "NotFound")
      const again = yield* integrations.connect(workspace, {
        platform: "twitter",
        accountId: "other",
        username: "other",
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("again")
      })
      assert.strictEqual(again.id, id)
      assert.strictEqual(again.status, "connected")
      assert.strictEqual(Redacted.value(yield* integrations.credentials(id)), "again")
    })
  )
})

layer(repoLayer)("An authorization", (it) => {
  it.effect("can be taken once", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      yield* oauthStates.begin("state", { workspaceId, verifier: secret })
      const taken = Option.getOrThrow(yield* oauthStates.take("state"))
      assert.strictEqual(taken.workspaceId, workspaceId)
      assert.strictEqual(Redacted.value(taken.verifier), "canary-5f1c")
      assert.isTrue(Option.isNone(yield* oauthStates.take("state")))
      assert.isTrue(Option.isNone(yield* oauthStates.take("unknown")))
    })
  )

  it.effect("runs out after a quarter of an hour", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      yield* oauthStates.begin("late", { workspaceId: yield* makeWorkspace([]), verifier: secret })
      yield* TestClock.adjust("15 minutes")
      assert.isTrue(Option.isNone(yield* oauthStates.take("late")))
    })
  )
})
