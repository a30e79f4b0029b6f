import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
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
      yield* oauthStates.begin("state", { workspaceId, verifier: secret })
      const taken = Option.getOrThrow(yield* oauthStates.take("state", Option.none()))
      assert.strictEqual(taken.workspaceId, workspaceId)
      assert.strictEqual(Redacted.value(taken.verifier), "canary-5f1c")
      assert.isTrue(Option.isNone(yield* oauthStates.take("state", Option.none())))
      assert.isTrue(Option.isNone(yield* oauthStates.take("unknown", Option.none())))
    })
  )

  it.effect("An OAuth state expires after 15 minutes", () =>
    Effect.gen(function* () {
      const { oauthStates } = yield* Repo
      yield* oauthStates.begin("late", { workspaceId: yield* makeWorkspace([]), verifier: secret })
      yield* TestClock.adjust("15 minutes")
      assert.isTrue(Option.isNone(yield* oauthStates.take("late", Option.none())))
    })
  )
})
