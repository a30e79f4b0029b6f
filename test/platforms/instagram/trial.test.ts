import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { PlatformTrial } from "../../../src/platforms/PlatformTrial.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { baseUrl, connected, outcome, statusFault, world } from "../world.ts"

const trialWorld = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => PlatformTrial.layer(sandbox.platforms(baseUrl), Duration.zero))
).pipe(Layer.provideMerge(world()))

describe("A trial of Instagram", () => {
  it.effect("It reads the quota and the lists of posts, and publishes nothing", () =>
    Effect.gen(function* () {
      const { account, injectFault, posts, sandbox } = yield* connected("instagram")
      const { describe: described, run } = yield* PlatformTrial
      assert.isDefined(described("instagram").rehearse)
      const { left, read, reply } = yield* run("instagram", account)
      assert.deepStrictEqual([reply, read, left], ["none", "found", []])
      assert.deepStrictEqual([yield* posts, (yield* sandbox.accepted).instagram], [[], 0])
      yield* injectFault(statusFault(400, { error: "no permission" }), "timeline")
      assert.strictEqual(yield* outcome(run("instagram", account)), "NeedsReauthorization")
    }).pipe(Effect.provide(trialWorld))
  )
})
