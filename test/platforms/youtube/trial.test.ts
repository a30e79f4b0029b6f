import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { PlatformTrial } from "../../../src/platforms/PlatformTrial.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { baseUrl, connected, outcome, statusFault, world } from "../world.ts"

const trialWorld = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => PlatformTrial.layer(sandbox.platforms(baseUrl), Duration.zero))
).pipe(Layer.provideMerge(world()))

describe("A trial of YouTube", () => {
  it.effect("It uploads a private video, changes it, and deletes it", () =>
    Effect.gen(function* () {
      const { account, posts, sandbox } = yield* connected("youtube")
      const { describe: described, run } = yield* PlatformTrial
      assert.isDefined(described("youtube").rehearse)
      const { left, missingScopes, read, reply } = yield* run("youtube", account)
      assert.deepStrictEqual([reply, read, left, missingScopes], ["none", "found", [], []])
      // The change made a private video, which is gone.
      assert.deepStrictEqual([yield* posts, (yield* sandbox.accepted).youtube], [[], 1])
    }).pipe(Effect.provide(trialWorld))
  )

  it.effect("What YouTube refuses is told, and the video is deleted all the same", () =>
    Effect.gen(function* () {
      const { account, injectFault, posts } = yield* connected("youtube")
      const { run } = yield* PlatformTrial
      yield* injectFault(statusFault(403, { error: "insufficientPermissions" }), "publish")
      assert.strictEqual(yield* outcome(run("youtube", account)), "NeedsReauthorization")
      assert.deepStrictEqual(yield* posts, [])
      yield* injectFault(statusFault(403, { error: "quotaExceeded" }), "upload")
      assert.strictEqual(yield* outcome(run("youtube", account)), "RateLimited")
    }).pipe(Effect.provide(trialWorld))
  )
})
