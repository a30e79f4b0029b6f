import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer, Option, type Redacted, References, Result, Schema } from "effect"
import { Headers } from "effect/http"
import type { Json } from "effect/Schema"
import { TestClock } from "effect/testing"
import { ClaimLost, CredentialsUnreadable, DatabaseUnavailable } from "../../src/domain/errors.ts"
import { type ProcessId, TargetId } from "../../src/domain/ids.ts"
import { planAttempt } from "../../src/domain/publishing/attemptPlan.ts"
import { Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { answerable } from "../../src/platforms/answered.ts"
import { type Answer, type Call, callTimeout, NoResponse } from "../../src/platforms/call.ts"
import { type CallState, LastCall } from "../../src/platforms/lastCall.ts"
import { type PlainSending, type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter, TwitterPost } from "../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { attempt, type Outcome } from "../../src/publishing/attempt.ts"
import { isPlain, PlainSends } from "../../src/publishing/PlainSends.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import type { Claim, Targets } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { Log, capturedTelemetryLayer } from "../support/telemetry/capturedTelemetry.ts"
import { claimed, currentLease, perhapsPublished } from "./claimed.ts"

const text = (number: number) => `Text ${number}`

/** The first claim of the target with a number. */
const claimOf = (number: number, changes: Partial<Claim> = {}) =>
  claimed({
    targetId: TargetId.make(`01a1fc17-0000-7000-8000-1${String(number).padStart(11, "0")}`),
    text: text(number),
    ...changes
  })

const created = (id: string): Answer =>
  Result.succeed({ status: 201, headers: Headers.empty, body: JSON.stringify({ data: { id } }) })

const answerOf = (status: number): Answer =>
  Result.succeed({ status, headers: Headers.empty, body: JSON.stringify({ title: "No", detail: "No", status }) })

const sealed = new Uint8Array([1])

interface World {
  /** What storing the intents of a batch comes to. */
  readonly intents: Targets["beginSends"]
  readonly lease: Layer.Layer<ProcessLease>
  /** Changes X's adapter. */
  readonly adapt: (adapter: PlatformAdapter) => PlatformAdapter
  readonly credentials: Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
}

/** X's own adapter, whose requests the test answers, and a database that stores intents. */
const makeWorld = ({
  adapt = (adapter) => adapter,
  credentials = Effect.succeed(encodeTokens({ accessToken: "token", refreshToken: null })),
  intents = (sends) => Effect.succeed(sends.map(() => Exit.succeed(sealed))),
  lease = currentLease
}: Partial<World> = {}) => {
  /** The numbers of the batches' texts, in the order in which their intents were stored. */
  const batches: Array<ReadonlyArray<string>> = []
  /** What was stored as about to be sent. */
  const prepared: Array<Json> = []
  /** The requests without an answer, by their texts. */
  const requests = new Map<string, (answer: Answer) => void>()
  const sent: Array<string> = []
  const aborted: Array<string> = []
  /** The texts that were sent by a fiber of their own. */
  const calls: Array<string> = []
  const textIn = (body: unknown) => {
    const { body: bytes } = body as { readonly body: Uint8Array }
    return (JSON.parse(new TextDecoder().decode(bytes)) as { readonly text: string }).text
  }
  const call: Call = (request) =>
    Effect.suspend(() => {
      calls.push(textIn(request.body))
      return Effect.fromResult(created("7"))
    })
  const adapter = makeTwitterAdapter(
    { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
    answerable(call),
    (request, _, done) => {
      const own = textIn(request.body)
      sent.push(own)
      requests.set(own, done)
      return () => {
        aborted.push(own)
        requests.delete(own)
      }
    }
  )
  const adapted = adapt(adapter)
  const repo = fakeRepo({
    targets: {
      beginSends: (sends, lease_) => {
        batches.push(sends.map(({ claim }) => claim.text))
        prepared.push(...sends.map((send) => send.prepared))
        return intents(sends, lease_)
      },
      beginSend: (_, post) => Effect.sync(() => (prepared.push(post), sealed))
    },
    integrations: { openCredentials: () => credentials }
  })
  const layer = PlainSends.layer.pipe(
    Layer.provide(Settlements.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        repo,
        lease,
        Layer.succeed(PlatformClient, { twitter: adapted, bluesky: adapted }),
        Layer.mock(Notifier, {})
      )
    ),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )
  const answer = (number: number, came: Answer) => Effect.sync(() => requests.get(text(number))?.(came))
  return { layer, batches, prepared, sent, aborted, calls, answer, adapter }
}

const attemptOf = (claim: Claim) => Effect.forkChild(Effect.uninterruptible(attempt(claim)))

/** Begins an attempt whose outcome is known although its fiber is interrupted. */
const interruptibleAttempt = Effect.fnUntraced(function* (claim: Claim) {
  const outcome = yield* Deferred.make<Outcome>()
  const fiber = yield* Effect.forkChild(
    Effect.uninterruptible(Effect.flatMap(attempt(claim), (ended) => Deferred.succeed(outcome, ended))),
    { startImmediately: true }
  )
  return { interrupt: Effect.sync(() => fiber.interruptUnsafe()), outcome: Deferred.await(outcome) }
})

const attemptAll = (...claims: ReadonlyArray<Claim>) => Effect.forEach(claims, attemptOf)

/** Lets everything happen that waits for nothing. */
const settled = TestClock.adjust(0)

const kindOf = (outcome: Outcome) => (outcome._tag === "Failed" ? outcome.error._tag : outcome._tag)

describe("isPlain", () => {
  const { plain } = makeWorld().adapter
  const isPlainClaim = (changes: Partial<Claim>) => {
    const claim = claimed(changes)
    return isPlain(claim, planAttempt(claim, DateTime.makeUnsafe(0)), plain)
  }
  const epoch = DateTime.makeUnsafe(0)

  it("The first attempt at a text is plain", () => {
    assert.isTrue(isPlainClaim({}))
  })

  it.each<readonly [string, Partial<Claim>]>([
    ["a second attempt", { attempts: 2 }],
    ["one that may be out", perhapsPublished],
    ["one that an unknown process may have sent", { reconcileFrom: epoch }],
    ["one that was prepared before", { prepared: {} }],
    ["one with a card", { card: { url: "https://a.test", title: "A", description: "", thumb: null } }],
    ["one whose account is not connected", { integration: { ...claimed().integration, connected: false } }],
    ["one that comes a day late", { dueSince: DateTime.subtractDuration(epoch, "25 hours") }]
  ])("It is not plain: %s", (_, changes) => {
    assert.isFalse(isPlainClaim(changes))
  })

  it("A post with media is not plain", () => {
    const claim = claimed()
    const plan = planAttempt(claim, epoch)
    assert.isFalse(isPlain({ ...claim, media: [{}] as unknown as Claim["media"] }, plan, plain))
  })

  it("A text for which the platform has to be asked is not plain, nor is any without a plain way", () => {
    const claim = claimed()
    const plan = planAttempt(claim, epoch)
    assert.isFalse(isPlain(claim, plan, { ...plain, takes: () => false } as PlainSending))
    assert.isFalse(isPlain(claim, plan, undefined))
  })
})

describe("PlainSends", () => {
  it.effect("What begins at once is one batch of intents, and each attempt is published by its own response", () => {
    const { answer, batches, calls, layer, sent } = makeWorld()
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
      assert.isEmpty(calls)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["a batch", false],
    ["a fiber of its own", true]
  ] as const)("What is sent by %s is as old as its claim, however far ahead this process's clock is", ([, traced]) => {
    const { layer, prepared } = makeWorld()
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      const claimedAt = DateTime.makeUnsafe(1000)
      yield* Effect.provideService(attemptOf(claimOf(1, { claimedAt })), References.TracerEnabled, traced)
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

  it.effect("An intent that can't be stored keeps its own post from being sent, and no other", () => {
    const { answer, layer, sent } = makeWorld({
      intents: (sends) =>
        Effect.succeed(
          sends.map(
            (_, index) =>
              [Exit.succeed(sealed), Exit.fail(new ClaimLost()), Exit.die("A row can't be written")][index] ??
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
    const { calls, layer, sent } = makeWorld({ lease, ...(credentials === undefined ? {} : { credentials }) })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      const outcome = yield* Effect.result(Fiber.join(own))
      assert.strictEqual(
        Result.isFailure(outcome) ? outcome.failure._tag : kindOf(outcome.success),
        credentials === undefined ? "DatabaseUnavailable" : "Unavailable"
      )
      assert.isEmpty([...sent, ...calls])
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })

  it.effect("A claim whose lease is about to end when its intent is stored sends nothing", () => {
    const { calls, layer, sent } = makeWorld({
      intents: (sends) =>
        Effect.as(
          Effect.sleep("91 seconds"),
          sends.map(() => Exit.succeed(sealed))
        )
    })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* TestClock.adjust("91 seconds")
      assert.strictEqual((yield* Effect.flip(Fiber.join(own)))._tag, "DatabaseUnavailable")
      assert.isEmpty([...sent, ...calls])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["a refusal", answerOf(403), "Rejected"],
    ["a success without an id", Result.succeed({ status: 201, headers: Headers.empty, body: "{}" }), "OutcomeUnknown"],
    ["a lost response", Result.fail(new NoResponse({ message: "Lost", maybeSent: true })), "OutcomeUnknown"],
    ["no connection", Result.fail(new NoResponse({ message: "None", maybeSent: false })), "Unavailable"],
    ["a server error", answerOf(500), "OutcomeUnknown"]
  ] as const)("After %s nothing is sent again, and the adapter reads what came", ([, came, kind]) => {
    const { answer, calls, layer, sent } = makeWorld()
    return Effect.gen(function* () {
      const [own, other] = yield* attemptAll(claimOf(1), claimOf(2))
      if (own === undefined || other === undefined) return assert.fail()
      yield* settled
      yield* answer(1, came)
      yield* answer(2, created("2"))
      assert.deepStrictEqual([kindOf(yield* Fiber.join(own)), kindOf(yield* Fiber.join(other))], [kind, "Published"])
      assert.deepStrictEqual([sent, calls], [[text(1), text(2)], []])
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([
    ["a refusal", answerOf(403), "Rejected"],
    ["a lost response", Result.fail(new NoResponse({ message: "Lost", maybeSent: true })), "OutcomeUnknown"]
  ] as const)("What comes once the leases have ended counts all the same: %s", ([, came, kind]) => {
    let owner: Option.Option<ProcessId> = Option.fromNullOr(claimed().ownerId)
    const lease = Layer.mock(ProcessLease, { current: Effect.sync(() => owner) })
    const { answer, calls, layer } = makeWorld({ lease })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      owner = Option.none()
      yield* answer(1, came)
      assert.strictEqual(kindOf(yield* Fiber.join(own)), kind)
      assert.isEmpty(calls)
    }).pipe(Effect.provide(layer))
  })

  it.effect("An adapter that fails before it reads an answer leaves the outcome unknown", () => {
    const { answer, layer } = makeWorld({
      adapt: (adapter) => ({ ...adapter, publish: () => Effect.fail(new Unavailable({ message: "Not now" })) })
    })
    return Effect.gen(function* () {
      const own = yield* attemptOf(claimOf(1))
      yield* settled
      yield* answer(1, answerOf(403))
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "OutcomeUnknown")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "A request without a response is given up after as long as any other call, and its outcome is unknown",
    () => {
      const { aborted, answer, layer } = makeWorld()
      return Effect.gen(function* () {
        const [first, second] = yield* attemptAll(claimOf(1), claimOf(2))
        if (first === undefined || second === undefined) return assert.fail()
        yield* TestClock.adjust("10 seconds")
        const [third] = yield* attemptAll(claimOf(3))
        if (third === undefined) return assert.fail()
        yield* answer(2, created("2"))
        yield* TestClock.adjust("9 seconds")
        assert.isEmpty(aborted)
        yield* TestClock.adjust("1 second")
        const outcome = yield* Fiber.join(first)
        assert.strictEqual(kindOf(outcome), "OutcomeUnknown")
        assert.strictEqual(
          outcome._tag === "Failed" ? outcome.error.message : undefined,
          "X did not answer within 20 seconds"
        )
        assert.deepStrictEqual(aborted, [text(1)])
        yield* TestClock.adjust(callTimeout)
        assert.strictEqual(kindOf(yield* Fiber.join(third)), "OutcomeUnknown")
      }).pipe(Effect.provide(layer))
    }
  )

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

  it.effect(
    "An attempt that is interrupted while its request is under way gives it up, and its outcome is open",
    () => {
      const { aborted, layer } = makeWorld()
      return Effect.gen(function* () {
        const own = yield* interruptibleAttempt(claimOf(1))
        yield* settled
        yield* own.interrupt
        assert.strictEqual(kindOf(yield* own.outcome), "CutOff")
        assert.deepStrictEqual(aborted, [text(1)])
      }).pipe(Effect.provide(layer))
    }
  )

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

  it.effect("A defect of an adapter while it sends leaves that post's outcome unknown, and the others go on", () => {
    const { layer, sent } = makeWorld({
      adapt: (adapter) => ({
        ...adapter,
        plain: {
          takes: () => true,
          send: (prepared, account, credentials, agent, done) => {
            if (JSON.stringify(prepared).includes(text(1))) throw new Error("A mistake")
            return adapter.plain?.send(prepared, account, credentials, agent, done)
          }
        }
      })
    })
    return Effect.gen(function* () {
      const [own] = yield* attemptAll(claimOf(1), claimOf(2))
      if (own === undefined) return assert.fail()
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "OutcomeUnknown")
      yield* settled
      assert.deepStrictEqual(sent, [text(2)])
    }).pipe(Effect.provide(Layer.merge(layer, Layer.fresh(capturedTelemetryLayer))))
  })

  it.effect(
    "An account that takes more than a plain request is sent to by its own fiber, under the same intent",
    () => {
      const { batches, calls, layer, sent } = makeWorld({
        adapt: (adapter) => ({ ...adapter, plain: { takes: () => true, send: () => undefined } })
      })
      return Effect.gen(function* () {
        const own = yield* attemptOf(claimOf(1))
        assert.strictEqual(kindOf(yield* Fiber.join(own)), "Published")
        assert.deepStrictEqual([batches, sent, calls], [[[text(1)]], [], [text(1)]])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("The state of the last call says whether the platform responded", () => {
    const { answer, layer } = makeWorld()
    return Effect.gen(function* () {
      const state: CallState = { state: "none" }
      const own = yield* Effect.forkChild(
        Effect.provideService(Effect.uninterruptible(attempt(claimOf(1))), LastCall, state)
      )
      yield* settled
      assert.strictEqual(state.state, "waiting")
      yield* answer(1, created("1"))
      yield* Fiber.join(own)
      assert.strictEqual(state.state, "answered")
    }).pipe(Effect.provide(layer))
  })

  it.effect("Where spans are exported, each attempt is sent by its own fiber, with its spans", () => {
    const { batches, calls, layer } = makeWorld()
    return Effect.gen(function* () {
      yield* Effect.provideService(Effect.uninterruptible(attempt(claimOf(1))), References.TracerEnabled, true)
      assert.deepStrictEqual([batches, calls], [[], [text(1)]])
    }).pipe(Effect.provide(layer))
  })
})
