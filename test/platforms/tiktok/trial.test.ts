import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { PlatformTrial } from "../../../src/platforms/PlatformTrial.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { baseUrl, connected, outcome, statusFault, world } from "../world.ts"

const trialWorld = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => PlatformTrial.layer(sandbox.platforms(baseUrl), Duration.zero))
).pipe(Layer.provideMerge(world()))

describe("A trial of TikTok", () => {
  it.effect("It asks what the account may do, and publishes nothing", () =>
    Effect.gen(function* () {
      const { account, injectFault, posts, sandbox } = yield* connected("tiktok")
      const { describe: described, run } = yield* PlatformTrial
      assert.isDefined(described("tiktok").rehearse)
      const { left, missingScopes, read, reply } = yield* run("tiktok", account)
      assert.deepStrictEqual([reply, read, left, missingScopes], ["none", "found", [], []])
      assert.deepStrictEqual([yield* posts, (yield* sandbox.accepted).tiktok], [[], 0])
      yield* injectFault(statusFault(401, { error: "scope_not_authorized" }), "identity")
      assert.strictEqual(yield* outcome(run("tiktok", account)), "NeedsReauthorization")
    }).pipe(Effect.provide(trialWorld))
  )
})
