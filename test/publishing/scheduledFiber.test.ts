import { assert, describe, it, layer } from "@effect/vitest"
import { Array as Arr, Clock, DateTime, Deferred, Duration, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { ProcessId } from "../../src/domain/ids.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { nothingAhead, type Targets } from "../../src/repo/targets/Targets.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { Script, scriptedPlatform } from "./scriptedPlatform.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { planPublish } from "../support/plans.ts"

const processId = ProcessId.make("01a1fc17-0000-7000-8000-000000000001")

/** The scheduled fiber's ticks in ms while nothing wakes it. Posts due at `locked` times are never claimed. */
const tickTimes = (
  dueTimes: ReadonlyArray<number>,
  duration: Duration.Input = "25 seconds",
  {
    claimTakes = 0,
    locked = [],
    renewalTakes = 0
  }: {
    readonly claimTakes?: Duration.Input
    readonly locked?: ReadonlyArray<number>
    readonly renewalTakes?: Duration.Input
  } = {}
) =>
  Effect.gen(function* () {
    const ticks: Array<number> = []
    let free = dueTimes
    const claim: Targets["claim"] = (_limit, _lease, { within = Duration.zero } = {}) =>
      Effect.gen(function* () {
        const dueUntil = (yield* Clock.currentTimeMillis) + Duration.toMillis(within)
        yield* Effect.sleep(claimTakes)
        ticks.push(yield* Clock.currentTimeMillis)
        free = free.filter((time) => time > dueUntil)
        return []
      })
    const nextDue: Targets["nextDue"] = (since, { lead, within } = nothingAhead) => {
      const claimed = DateTime.toEpochMillis(since)
      const dueUntil = claimed + Duration.toMillis(within)
      const pending = [...free, ...locked].toSorted((left, right) => left - right)
      const next = Arr.findFirst(pending, (time) => time > claimed)
      return Effect.succeed({
        isAnyLeft: pending.some((time) => time <= dueUntil),
        at: Option.map(next, (time) => DateTime.makeUnsafe(time <= dueUntil ? time : time - Duration.toMillis(lead)))
      })
    }
    const world = Layer.mergeAll(
      fakeRepo({
        processes: {
          renew: () =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.delay(Effect.succeed({ id: processId, takesOver: now >= 30_000 }), renewalTakes)
            ),
          end: () => Effect.void
        },
        targets: { claim, nextDue, listen: () => Effect.never }
      }),
      scriptedPlatform,
      Layer.mock(Notifier, {})
    )
    yield* TestClock.adjust(duration).pipe(
      Effect.provide(scheduledFiber.pipe(Layer.provide(Publisher.layer), Layer.provide(world)))
    )
    return ticks
  })

describe("scheduledFiber without wake-ups", () => {
  it.effect("The scheduled fiber ticks every ten seconds", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tickTimes([]), [0, 10_000, 20_000])
    })
  )

  it.effect("The scheduled fiber also ticks shortly before a due time between two polls", () =>
    Effect.gen(function* () {
      const ticks = yield* tickTimes([13_000])
      assert.deepStrictEqual(ticks.slice(0, 3), [0, 10_000, 12_980])
    })
  )

  it.effect("One tick serves all that falls due within a tenth of a second", () =>
    Effect.gen(function* () {
      const ticks = yield* tickTimes([3000, 3010, 3080, 3081, 3100], "3.5 seconds")
      assert.deepStrictEqual(ticks.slice(0, 3), [0, 2980, 3061])
    })
  )

  it.effect(
    "The scheduled fiber ticks again a second after it left a target that is due, which a request may have locked",
    () =>
      Effect.gen(function* () {
        const ticks = yield* tickTimes([], "3 seconds", { locked: [-1_000] })
        assert.deepStrictEqual(ticks, [0, 1_000, 2_000, 3_000])
      })
  )

  it.effect("A target that falls due while a tick runs is claimed by another one at once", () =>
    Effect.gen(function* () {
      // The target is due more than ten seconds after the first look, so that no alarm was set.
      const ticks = yield* tickTimes([10_101], "10.3 seconds", { claimTakes: "90 millis" })
      assert.deepStrictEqual(ticks.slice(0, 3), [90, 10_090, 10_180])
    })
  )

  it.effect("A target that is left due does not make those that fall due after it late", () =>
    Effect.gen(function* () {
      const ticks = yield* tickTimes([2_300], "3.5 seconds", { locked: [-1_000] })
      assert.deepStrictEqual(ticks, [0, 1_000, 2_000, 2_280, 3_280])
    })
  )

  it.effect("A target that was locked when it was to be claimed ahead is tried again at its time", () =>
    Effect.gen(function* () {
      const ticks = yield* tickTimes([], "4 seconds", { locked: [2_300] })
      assert.deepStrictEqual(ticks, [0, 2_280, 2_300, 3_300])
    })
  )

  it.effect("The scheduled fiber also ticks as soon as its process may take over the claims of another", () =>
    Effect.gen(function* () {
      // The seventh renewal is sent after 31.8 seconds.
      assert.include(yield* tickTimes([], "35 seconds", { renewalTakes: "300 millis" }), 32_100)
    })
  )
})

/** Runs a test alongside the scheduled fiber, after its first tick. */
const withScheduledFiber = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const listening = yield* Deferred.make<void>()
    const repo = yield* Repo
    const observed = Repo.of({
      ...repo,
      targets: {
        ...repo.targets,
        listen: (onWake) =>
          Effect.eventually(repo.targets.listen(Effect.andThen(onWake, Deferred.succeed(listening, undefined))))
      }
    })
    return yield* Effect.gen(function* () {
      yield* Deferred.await(listening)
      return yield* test
    }).pipe(
      Effect.provide(Layer.provideMerge(scheduledFiber, Layer.fresh(publisherLayer)), { local: true }),
      Effect.provideService(Repo, observed)
    )
  })

layer(Layer.provideMerge(scriptedPlatform, repoLayer))("scheduledFiber on PostgreSQL", (it) => {
  it.effect("A post is published at its time without a wake-up", () =>
    withScheduledFiber(
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

  it.effect("A post that is to be published now is published at once, without any time passing", () =>
    withScheduledFiber(
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
