import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"

const secret = Redacted.make("canary-5f1c")

layer(repoLayer)("oauthStates", (it) => {
  it.effect("An OAuth state can be taken once", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      yield* oauthStates.begin("state", { platform: "twitter", workspaceId, verifier: secret })
      const taken = Option.getOrThrow(yield* oauthStates.take("twitter", "state", Option.none()))
      assert.strictEqual(taken.workspaceId, workspaceId)
      assert.strictEqual(Redacted.value(taken.verifier), "canary-5f1c")
      assert.isTrue(Option.isNone(yield* oauthStates.take("twitter", "state", Option.none())))
      assert.isTrue(Option.isNone(yield* oauthStates.take("twitter", "unknown", Option.none())))
    })
  )

  it.effect("An OAuth state expires after 15 minutes", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      yield* oauthStates.begin("late", { platform: "twitter", workspaceId, verifier: secret })
      yield* TestClock.adjust("15 minutes")
      assert.isTrue(Option.isNone(yield* oauthStates.take("twitter", "late", Option.none())))
    })
  )

  it.effect("An OAuth state is unknown to another platform, which does not use it up", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      yield* oauthStates.begin("elsewhere", { platform: "bluesky", workspaceId, verifier: secret })
      assert.isTrue(Option.isNone(yield* oauthStates.find("twitter", "elsewhere", Option.none())))
      assert.isTrue(Option.isNone(yield* oauthStates.take("twitter", "elsewhere", Option.none())))
      assert.isTrue(Option.isSome(yield* oauthStates.find("bluesky", "elsewhere", Option.none())))
      assert.isTrue(Option.isSome(yield* oauthStates.take("bluesky", "elsewhere", Option.none())))
    })
  )

  it.effect("An OAuth state of the version before, which stores no platform, is X's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { oauthStates } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      yield* oauthStates.begin("earlier", { platform: "twitter", workspaceId, verifier: secret })
      yield* sql`UPDATE authorisations SET platform = NULL`
      assert.isTrue(Option.isNone(yield* oauthStates.take("bluesky", "earlier", Option.none())))
      assert.isTrue(Option.isSome(yield* oauthStates.take("twitter", "earlier", Option.none())))
    })
  )
})
