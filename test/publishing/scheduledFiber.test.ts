import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { planPublish } from "../../src/domain/postPlan.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { Script, scriptedPlatform } from "./scriptedPlatform.ts"

/** Runs the scheduled fiber beside a test, and waits for its first tick so that the test knows where time stands. */
const running = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const listening = yield* Deferred.make<void>()
    const repo = yield* Repo
    const observed = Repo.of({
      ...repo,
      targets: {
        ...repo.targets,
        listen: (onWake) => repo.targets.listen(Effect.andThen(onWake, Deferred.succeed(listening, undefined)))
      }
    })
    return yield* Effect.gen(function* () {
      yield* Deferred.await(listening)
      return yield* test
    }).pipe(
      Effect.provide(Layer.provideMerge(scheduledFiber, Layer.fresh(Publisher.layer)), { local: true }),
      Effect.provideService(Repo, observed)
    )
  })

layer(Layer.provideMerge(scriptedPlatform, repoLayer))("The scheduled fiber", (it) => {
  it.effect("publishes a post at its time, without being told of it", () =>
    running(
      Effect.gen(function* () {
        const script = yield* Script
        const { posts } = yield* Repo
        const workspace = yield* makeWorkspace()
        const at = DateTime.addDuration(yield* DateTime.now, "1 hour")
        yield* posts.create(workspace, plan(at))
        yield* TestClock.setTime(DateTime.toEpochMillis(at) - 1)
        assert.deepStrictEqual(yield* script.calls, [])
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* script.nextCall).call, "publish")
      })
    )
  )

  it.effect("publishes at once what is to be published now, though no time passes", () =>
    running(
      Effect.gen(function* () {
        const script = yield* Script
        const { posts } = yield* Repo
        const workspace = yield* makeWorkspace()
        const { id } = yield* posts.create(workspace, plan(null))
        yield* posts.publish(workspace, id, planPublish)
        assert.strictEqual((yield* script.nextCall).call, "publish")
      })
    )
  )
})
