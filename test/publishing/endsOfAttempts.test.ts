import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { ClaimLost, DatabaseUnavailable } from "../../src/domain/errors.ts"
import { ProcessId } from "../../src/domain/ids.ts"
import { type Publication, Rejected, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { releasePause } from "../../src/publishing/timing.ts"
import type { PlatformUploads } from "../../src/repo/platformUploads/PlatformUploads.ts"
import type { Claim, Targets } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { claimed, claimedFile, settled } from "./claimed.ts"
import { ok, Script, scriptedPlatform } from "./scriptedPlatform.ts"

const ownerId = ProcessId.make("01a1fc17-0000-7000-8000-000000000006")

const isOut: Partial<Targets> = {
  beginSend: () => Effect.undefined,
  settleAll: () => Effect.succeed({ posts: [], lost: [] })
}

/** The milliseconds from the first tick, which begins an attempt, to the platform's answer. */
const answersAfter = 400

interface Case {
  readonly claim?: Partial<Claim>
  readonly answer?: Effect.Effect<Publication, Unavailable | Rejected>
  readonly targets?: Partial<Targets>
  readonly platformUploads?: Partial<PlatformUploads>
  readonly isAnyLeft?: boolean
}

/** The scheduled fiber's ticks in the first eight seconds, in milliseconds. The first begins an attempt. */
const tickTimes = ({ answer = ok, claim = {}, isAnyLeft = false, platformUploads = {}, targets = {} }: Case) =>
  Effect.gen(function* () {
    const ticks: Array<number> = []
    const world = Layer.mergeAll(
      fakeRepo({
        platformUploads: { claim: () => Effect.succeed([]), ...platformUploads },
        processes: { renew: () => Effect.succeed({ id: ownerId, takesOver: false }), end: () => Effect.void },
        targets: {
          ...isOut,
          claim: () => Effect.map(Clock.currentTimeMillis, (now) => (ticks.push(now) === 1 ? [claimed(claim)] : [])),
          nextDue: () => Effect.succeed({ isAnyLeft, at: Option.none() }),
          listen: () => Effect.never,
          listenHere: () => Effect.never,
          abandon: () => Effect.void,
          ...targets
        }
      }),
      Layer.mock(Notifier, { postsSettled: () => Effect.void })
    )
    yield* Effect.gen(function* () {
      yield* (yield* Script).respond("twitter", Effect.delay(answer, answersAfter))
      yield* Effect.andThen(settled, TestClock.adjust("8 seconds")).pipe(
        Effect.provide(scheduledFiber.pipe(Layer.provide(Publisher.layer), Layer.provide(world)))
      )
    }).pipe(Effect.provide(Layer.fresh(scriptedPlatform)))
    return ticks
  }).pipe(Effect.provide(Layer.fresh(capturedTelemetryLayer)))

const away = () => Effect.fail(new DatabaseUnavailable({ operation: "a test", cause: "unavailable" }))

describe("The end of an attempt", () => {
  it.effect.each<[string, Case]>([
    ["is published", {}],
    ["is rejected", { answer: Effect.fail(new Rejected({ message: "Too long" })) }]
  ])("Where nothing is left due, no tick follows a post that %s", ([_, options]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tickTimes(options), [0])
    })
  )

  it.effect("Where something is left due, a tick follows a post that is published at once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* tickTimes({ isAnyLeft: true })).slice(0, 2), [0, answersAfter])
    })
  )

  it.effect.each<[string, Case]>([
    ["whose post is tried again later", { answer: Effect.fail(new Unavailable({ message: "Busy" })) }],
    ["whose thread goes on", { claim: { isThread: true, parts: 2 } }],
    [
      "whose claim was lost",
      { targets: { settleAll: (batch) => Effect.succeed({ posts: [], lost: batch.map(({ claim }) => claim) }) } }
    ],
    ["whose outcome can't be stored", { targets: { settleAll: () => Effect.die("A row can't be written") } }]
  ])("A tick follows at once, also where nothing is left due, an attempt %s", ([_, options]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tickTimes(options), [0, answersAfter])
    })
  )

  it.effect("A tick follows a claim that is lost before anything is sent", () =>
    Effect.gen(function* () {
      const targets: Partial<Targets> = {
        beginSend: () => Effect.delay(Effect.fail(new ClaimLost()), answersAfter),
        withdraw: () => Effect.void
      }
      assert.deepStrictEqual(yield* tickTimes({ targets }), [0, answersAfter])
    })
  )

  it.effect("A tick follows a post that turns out to wait for its files", () =>
    Effect.gen(function* () {
      const platformUploads: Partial<PlatformUploads> = { order: () => Effect.delay(Effect.void, answersAfter) }
      assert.deepStrictEqual(yield* tickTimes({ claim: { media: [claimedFile] }, platformUploads }), [0, answersAfter])
    })
  )

  it.effect("A tick follows a claim that is released for want of the database", () =>
    Effect.gen(function* () {
      const targets: Partial<Targets> = { beginSend: away, release: () => Effect.void }
      assert.deepStrictEqual(yield* tickTimes({ targets }), [0, Duration.toMillis(releasePause)])
    })
  )
})
