import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, DateTime, Deferred, Duration, Effect, Exit, Fiber, Layer, Option, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ClaimLost, ClaimUncertain, CredentialsUnreadable, DatabaseUnavailable } from "../../src/domain/errors.ts"
import { Preparing, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { storeBegun, storeUploads } from "../../src/domain/publishing/storedUploads.ts"
import { TwitterPost } from "../../src/platforms/twitter/adapter.ts"
import type { PublishRequest } from "../../src/platforms/PlatformClient.ts"
import { attempt, Making } from "../../src/publishing/attempt.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { prepareTimeout } from "../../src/publishing/timing.ts"
import { Log, capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { claimed, claimedFile, currentLease, settled } from "./claimed.ts"
import {
  text,
  claimOf,
  created,
  sealed,
  makeWorld,
  attemptOf,
  interruptibleAttempt,
  attemptAll,
  kindOf
} from "./sendsWorld.ts"

/** Begins to store 48 outcomes. */
const settleMany = Effect.gen(function* () {
  const { settle, whileUnwritten } = yield* Settlements
  return yield* Effect.forEach(Arr.range(1, 48), (number) =>
    Effect.forkChild(
      whileUnwritten(settle(claimOf(number), { _tag: "Published", publication: { platformPostId: "1", url: null } }))
    )
  )
})

describe("Sends", () => {
  it.effect("What begins at once is one batch of intents, and each attempt is published by its own response", () => {
    const { answer, batches, layer, sent } = makeWorld()
    return Effect.gen(function* () {
      const attempts = yield* attemptAll(claimOf(1), claimOf(2), claimOf(3))
      yield* settled
      assert.deepStrictEqual([batches, sent], [[[text(1), text(2), text(3)]], [text(1), text(2), text(3)]])
      yield* Effect.forEach([3, 1, 2], (number) => answer(number, created(`${number}`)))
      const outcomes = yield* Effect.forEach(attempts, Fiber.join)
      assert.deepStrictEqual(
        outcomes.map((outcome) => outcome._tag === "Published" && outcome.publication.platformPostId),
        ["1", "2", "3"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("What is sent is as old as its claim, however far ahead this process's clock is", () => {
    const { layer, prepared } = makeWorld()
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      const claimedAt = DateTime.makeUnsafe(1000)
      yield* attemptOf(claimOf(1, { claimedAt }))
      yield* settled
      assert.deepStrictEqual(
        prepared.map((post) => Schema.decodeUnknownSync(TwitterPost)(post).preparedAt),
        [claimedAt]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("Nothing is sent before its intent is stored, and what begins meanwhile is the next batch", () =>
    Effect.gen(function* () {
      const stored = yield* Deferred.make<void>()
      const { batches, layer, sent } = makeWorld({
        intents: (sends) =>
          Effect.as(
            Deferred.await(stored),
            sends.map(() => Exit.succeed(sealed))
          )
      })
      yield* Effect.gen(function* () {
        yield* attemptAll(claimOf(1), claimOf(2))
        yield* settled
        yield* attemptAll(claimOf(3))
        yield* settled
        yield* attemptAll(claimOf(4))
        yield* settled
        assert.deepStrictEqual([batches, sent], [[[text(1), text(2)]], []])
        yield* Deferred.succeed(stored, undefined)
        yield* settled
        assert.deepStrictEqual(batches, [
          [text(1), text(2)],
          [text(3), text(4)]
        ])
        assert.lengthOf(sent, 4)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("While 48 outcomes are unwritten no intent is stored, and 48 are the most of a batch", () =>
    Effect.gen(function* () {
      const isWritten = yield* Deferred.make<void>()
      const { batches, layer } = makeWorld({
        written: Effect.as(Deferred.await(isWritten), { lost: [], posts: [] })
      })
      const sizes = () => batches.map((batch) => batch.length)
      yield* Effect.gen(function* () {
        const settling = yield* settleMany
        yield* settled
        yield* attemptAll(...Arr.map(Arr.range(101, 160), (number) => claimOf(number)))
        yield* settled
        assert.isEmpty(sizes())
        yield* Deferred.succeed(isWritten, undefined)
        yield* Effect.forEach(settling, Fiber.join)
        // Each batch needs one turn.
        yield* settled
        yield* settled
        assert.deepStrictEqual(sizes(), [48, 12])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect(
    "No intent is stored while 48 outcomes are unwritten, also if it waited for an earlier batch before that",
    () =>
      Effect.gen(function* () {
        const isStored = yield* Deferred.make<void>()
        const isWritten = yield* Deferred.make<void>()
        const { batches, layer } = makeWorld({
          intents: (sends) =>
            Effect.as(
              Deferred.await(isStored),
              sends.map(() => Exit.succeed(sealed))
            ),
          written: Effect.as(Deferred.await(isWritten), { lost: [], posts: [] })
        })
        yield* Effect.gen(function* () {
          yield* attemptAll(claimOf(101))
          yield* settled
          yield* attemptAll(claimOf(102))
          yield* settled
          yield* settleMany
          yield* settled
          yield* Deferred.succeed(isStored, undefined)
          yield* settled
          assert.deepStrictEqual(batches, [[text(101)]])
          yield* Deferred.succeed(isWritten, undefined)
          yield* settled
          assert.deepStrictEqual(batches, [[text(101)], [text(102)]])
        }).pipe(Effect.provide(layer))
      })
  )

  it.effect("What begins as soon as an outcome is written shares the batch of what waited for that", () =>
    Effect.gen(function* () {
      const isWritten = yield* Deferred.make<void>()
      const { batches, layer } = makeWorld({
        written: Effect.as(Deferred.await(isWritten), { lost: [], posts: [] })
      })
      yield* Effect.gen(function* () {
        const [first] = yield* settleMany
        if (first === undefined) return assert.fail()
        yield* settled
        yield* attemptAll(claimOf(101))
        yield* Effect.forkChild(Effect.andThen(Fiber.join(first), Effect.uninterruptible(attempt(claimOf(102)))))
        yield* settled
        assert.isEmpty(batches)
        yield* Deferred.succeed(isWritten, undefined)
        yield* settled
        assert.deepStrictEqual(batches, [[text(101), text(102)]])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("An intent that can't be stored keeps its own post from being sent, and no other", () => {
    const { answer, layer, sent } = makeWorld({
      intent: Effect.fail(new ClaimLost()),
      intents: (sends) =>
        Effect.succeed(
          sends.map(
            (_, index) =>
              [Exit.succeed(sealed), Exit.fail(new ClaimUncertain()), Exit.die("A row can't be written")][index] ??
              Exit.succeed(sealed)
          )
        )
    })
    return Effect.gen(function* () {
      const attempts = yield* attemptAll(claimOf(1), claimOf(2), claimOf(3), claimOf(4))
      yield* settled
      assert.deepStrictEqual(sent, [text(1), text(4)])
      yield* Effect.forEach([1, 4], (number) => answer(number, created(`${number}`)))
      const [first, second, third, fourth] = yield* Effect.forEach(attempts, (each) => Effect.result(Fiber.join(each)))
      assert.strictEqual(second?._tag === "Failure" ? second.failure._tag : undefined, "ClaimLost")
      assert.deepStrictEqual(
        [first, third, fourth].map((each) => each?._tag === "Success" && kindOf(each.success)),
        ["Published", "Unavailable", "Published"]
      )
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })

  it.effect("A post whose target somebody has locked waits for that alone, and is sent then", () => {
    const isFree = Deferred.makeUnsafe<void>()
    const { answer, layer, sent } = makeWorld({
      intent: Effect.as(Deferred.await(isFree), sealed),
      intents: (sends) =>
        Effect.succeed(sends.map((_, index) => (index === 0 ? Exit.fail(new ClaimUncertain()) : Exit.succeed(sealed))))
    })
    return Effect.gen(function* () {
      const [locked, free] = yield* attemptAll(claimOf(1), claimOf(2))
      if (locked === undefined || free === undefined) return assert.fail()
      yield* settled
      assert.deepStrictEqual(sent, [text(2)])
      yield* answer(2, created("2"))
      assert.strictEqual(kindOf(yield* Fiber.join(free)), "Published")
      yield* Deferred.succeed(isFree, undefined)
      yield* settled
      yield* answer(1, created("1"))
      assert.strictEqual(kindOf(yield* Fiber.join(locked)), "Published")
      assert.deepStrictEqual(sent, [text(2), text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("A post whose target was locked for long is sent under the lease that its own intent has renewed", () => {
    const { layer, sent } = makeWorld({
      intent: Effect.as(Effect.sleep("60 seconds"), sealed),
      intents: (sends) =>
        Effect.as(
          Effect.sleep("60 seconds"),
          sends.map(() => Exit.fail(new ClaimUncertain()))
        )
    })
    return Effect.gen(function* () {
      yield* attemptOf(claimOf(1))
      yield* settled
      yield* TestClock.adjust("60 seconds")
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(sent, [text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("While the database is unavailable nothing is sent", () => {
    const unavailable = new DatabaseUnavailable({ operation: "a test", cause: "unavailable" })
    const { layer, sent } = makeWorld({ intents: () => Effect.fail(unavailable) })
    return Effect.gen(function* () {
      const attempts = yield* attemptAll(claimOf(1), claimOf(2))
      const failures = yield* Effect.forEach(attempts, (each) => Effect.flip(Fiber.join(each)))
      assert.deepStrictEqual(failures, [unavailable, unavailable])
      assert.isEmpty(sent)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["another process lease", Layer.mock(ProcessLease, { current: Effect.succeedNone }), undefined],
    ["unreadable credentials", currentLease, Effect.fail(new CredentialsUnreadable({ message: "No key" }))]
  ] as const)("With %s nothing is sent once the intent is stored", ([, lease, credentials]) => {
    const { layer, sent } = makeWorld({ lease, ...(credentials === undefined ? {} : { credentials }) })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      const outcome = yield* Effect.result(Fiber.join(own))
      assert.strictEqual(
        Result.isFailure(outcome) ? outcome.failure._tag : kindOf(outcome.success),
        credentials === undefined ? "DatabaseUnavailable" : "Unavailable"
      )
      assert.isEmpty(sent)
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })

  it.effect("A claim is sent under the lease that its intent has renewed", () => {
    const { layer, sent } = makeWorld()
    return Effect.gen(function* () {
      yield* attemptOf(claimOf(1, { leaseUntil: DateTime.makeUnsafe(60_000) }))
      yield* settled
      assert.deepStrictEqual(sent, [text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("A claim whose lease is about to end when its intent is stored sends nothing", () => {
    const { layer, sent } = makeWorld({
      intents: (sends) =>
        Effect.as(
          Effect.sleep("91 seconds"),
          sends.map(() => Exit.succeed(sealed))
        )
    })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      yield* TestClock.adjust("91 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(own)))._tag, "DatabaseUnavailable")
      assert.isEmpty(sent)
    }).pipe(Effect.provide(layer))
  })

  it.effect("An attempt that is interrupted while its intent is stored sends nothing, and the others go on", () =>
    Effect.gen(function* () {
      const stored = yield* Deferred.make<void>()
      const { layer, sent } = makeWorld({
        intents: (sends) =>
          Effect.as(
            Deferred.await(stored),
            sends.map(() => Exit.succeed(sealed))
          )
      })
      yield* Effect.gen(function* () {
        const own = yield* interruptibleAttempt(claimOf(1))
        yield* attemptAll(claimOf(2))
        yield* settled
        yield* own.interrupt
        assert.strictEqual(kindOf(yield* own.outcome), "Released")
        yield* Deferred.succeed(stored, undefined)
        yield* settled
        assert.deepStrictEqual(sent, [text(2)])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("An attempt that is interrupted before its batch begins is left out of it", () => {
    const { batches, layer } = makeWorld()
    return Effect.gen(function* () {
      const own = yield* interruptibleAttempt(claimOf(1))
      yield* attemptAll(claimOf(2))
      yield* own.interrupt
      assert.strictEqual(kindOf(yield* own.outcome), "Released")
      yield* settled
      assert.deepStrictEqual(batches, [[text(2)]])
    }).pipe(Effect.provide(layer))
  })

  it.effect("A post that can't be prepared fails alone", () => {
    const { answer, batches, layer } = makeWorld({
      adapt: (adapter) => ({
        ...adapter,
        prepare: (request, account) => {
          if (request.text === text(1)) return new Unavailable({ message: "Not now" })
          return request.text === text(2) ? Effect.die("A mistake") : adapter.prepare(request, account)
        }
      })
    })
    return Effect.gen(function* () {
      const attempts = yield* attemptAll(claimOf(1), claimOf(2), claimOf(3))
      yield* settled
      assert.deepStrictEqual(batches, [[text(3)]])
      yield* answer(3, created("3"))
      const outcomes = yield* Effect.forEach(attempts, Fiber.join)
      assert.deepStrictEqual(outcomes.map(kindOf), ["Unavailable", "Unavailable", "Published"])
      assert.lengthOf(
        (yield* Log).filter(({ level }) => level === "Error"),
        1
      )
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })

  it.effect(
    "What the platform has begun to make of a post is stored beside its uploads, and both come back to it",
    () => {
      const requests: Array<PublishRequest> = []
      const askAfter = Duration.minutes(1)
      const { layer } = makeWorld({
        adapt: (adapter) => ({
          ...adapter,
          prepare: (request) =>
            Effect.suspend(() => {
              requests.push(request)
              return Effect.fail(new Preparing({ message: "It is being made", begun: "it", askAfter }))
            })
        })
      })
      return Effect.gen(function* () {
        const media = [claimedFile]
        const first = yield* Fiber.join(yield* attemptOf(claimOf(1, { media, prepared: storeUploads("files") })))
        assert.deepStrictEqual(first, Making({ askAfter, begun: storeBegun("files", "it") }))
        const prepared = storeBegun("files", "it")
        yield* Fiber.join(yield* attemptOf(claimOf(1, { media, prepared })))
        // A post that is searched for is not prepared further.
        const sought = yield* Fiber.join(
          yield* attemptOf(claimOf(1, { media, prepared, reconcileFrom: DateTime.makeUnsafe(0) }))
        )
        assert.strictEqual(kindOf(sought), "Unavailable")
        assert.deepStrictEqual(
          requests.map(({ begun, isSought, uploads }) => ({ begun, isSought, uploads })),
          [
            { begun: null, isSought: false, uploads: "files" },
            { begun: "it", isSought: false, uploads: "files" },
            { begun: null, isSought: true, uploads: "files" }
          ]
        )
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect.each([
    ["is interrupted", "Released"],
    ["takes too long", "Unavailable"]
  ] as const)("What prepares a post ends before an attempt that %s does", ([ending, kind]) => {
    let isPreparing = true
    const { layer } = makeWorld({
      adapt: (adapter) => ({
        ...adapter,
        prepare: () =>
          Effect.onInterrupt(Effect.never, () =>
            Effect.sync(() => {
              isPreparing = false
            })
          )
      })
    })
    return Effect.gen(function* () {
      const ended = yield* Deferred.make<readonly [kind: string, isPreparing: boolean]>()
      const own = yield* Effect.forkChild(
        Effect.uninterruptible(
          Effect.flatMap(attempt(claimOf(1)), (outcome) => Deferred.succeed(ended, [kindOf(outcome), isPreparing]))
        )
      )
      yield* settled
      if (ending === "is interrupted") own.interruptUnsafe()
      else yield* TestClock.adjust(prepareTimeout)
      assert.deepStrictEqual(yield* Deferred.await(ended), [kind, false])
    }).pipe(Effect.provide(layer))
  })

  it.effect("Posts with files, replies, and posts that were prepared before share a statement with texts", () => {
    const { batches, layer, sent } = makeWorld()
    const uploads = { accountId: "1", media: [{ id: "7", key: "3_7" }], expiresAt: "1970-01-02T00:00:00.000Z" }
    const prepared = { text: text(3), accountId: "1", preparedAt: "1970-01-01T00:00:00.000Z" }
    const first = { platformPostId: "1", cid: null }
    return Effect.gen(function* () {
      yield* attemptAll(
        claimOf(1),
        claimOf(2, { media: [claimedFile], prepared: storeUploads(uploads) }),
        claimOf(3, { prepared, attempts: 2 }),
        claimOf(4, { part: 2, parts: 2, reply: { root: first, parent: first, parentAt: DateTime.makeUnsafe(0) } })
      )
      yield* settled
      const all = [text(1), text(2), text(3), text(4)]
      assert.deepStrictEqual(
        batches.map((batch) => batch.toSorted()),
        [all]
      )
      assert.deepStrictEqual(sent.toSorted(), all)
    }).pipe(Effect.provide(layer))
  })

  it.effect("A process whose lease ends between two requests sends the first of them alone", () => {
    let owner = Option.fromNullOr(claimed().ownerId)
    const { answer, layer, sent } = makeWorld({
      lease: Layer.mock(ProcessLease, { current: Effect.sync(() => owner) }),
      adapt: (adapter) => ({
        ...adapter,
        calls: {
          ...adapter.calls,
          configured: (request) => {
            owner = Option.none()
            return adapter.calls.configured(request)
          }
        }
      })
    })
    return Effect.gen(function* () {
      const [first, second] = yield* attemptAll(claimOf(1), claimOf(2))
      if (first === undefined || second === undefined) return assert.fail()
      yield* settled
      assert.strictEqual((yield* Effect.flip(Fiber.join(second)))._tag, "DatabaseUnavailable")
      yield* answer(1, created("1"))
      assert.strictEqual(kindOf(yield* Fiber.join(first)), "Published")
      assert.deepStrictEqual(sent, [text(1)])
    }).pipe(Effect.provide(layer))
  })

  it.effect("A defect while a batch is sent resends nothing of it, and the next batch is sent", () => {
    let isDefective = false
    const current = Effect.suspend(() =>
      isDefective ? Effect.die("A mistake") : Effect.succeed(Option.fromNullOr(claimed().ownerId))
    )
    const { answer, layer, sent } = makeWorld({
      lease: Layer.mock(ProcessLease, { current }),
      adapt: (adapter) => ({
        ...adapter,
        calls: {
          ...adapter.calls,
          configured: (request) => {
            isDefective = true
            return adapter.calls.configured(request)
          }
        }
      })
    })
    return Effect.gen(function* () {
      const [first, second] = yield* attemptAll(claimOf(1), claimOf(2))
      if (first === undefined || second === undefined) return assert.fail()
      yield* settled
      assert.strictEqual(kindOf(yield* Fiber.join(second)), "Unavailable")
      yield* answer(1, created("1"))
      assert.strictEqual(kindOf(yield* Fiber.join(first)), "Published")
      isDefective = false
      const third = yield* attemptOf(claimOf(3))
      yield* settled
      yield* answer(3, created("3"))
      assert.strictEqual(kindOf(yield* Fiber.join(third)), "Published")
      assert.deepStrictEqual(sent, [text(1), text(3)])
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })
})
