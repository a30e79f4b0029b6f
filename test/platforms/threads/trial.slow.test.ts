import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { platformClientLayer } from "../../../src/platforms/layer.ts"
import { PlatformTrial } from "../../../src/platforms/PlatformTrial.ts"
import { requestedScopes } from "../../../src/platforms/threads/scopes.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { baseUrl, statusFault, storedAccount } from "../world.ts"

const trials = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => {
    const platforms = sandbox.platforms(baseUrl)
    return PlatformTrial.layer(platforms, Duration.seconds(1)).pipe(Layer.provide(platformClientLayer(platforms)))
  })
).pipe(Layer.provideMerge(Sandbox.layer()), Layer.provide(platformHttpLayer))

describe("A trial of Threads", () => {
  it.live.each([undefined, statusFault(500, { when: "after_commit" })])(
    "Posts a text and a reply, reads it and leaves neither, also if Threads answers %j although the post is out",
    (fault) =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const { account } = yield* storedAccount(yield* sandbox.connect("threads", "acme"))
        const body = JSON.stringify({ data: { scopes: ["threads_basic"] } })
        yield* sandbox.faults.add({ platform: "threads", call: "identity", fault: statusFault(200, { body }) })
        if (fault !== undefined) yield* sandbox.faults.add({ platform: "threads", fault })
        const { run } = yield* PlatformTrial
        const { left, missingScopes, read, reason, reply } = yield* run("threads", account)
        assert.deepStrictEqual([reply, reason, read, left], ["taken", null, "found", []])
        assert.deepStrictEqual(missingScopes, requestedScopes.slice(1))
        assert.deepStrictEqual(yield* sandbox.posts, [])
        assert.strictEqual((yield* sandbox.accepted).threads, 2)
      }).pipe(Effect.provide(trials))
  )
})
