import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ClaimToken, IntegrationId, PostId, TargetId, WorkspaceId } from "../../src/domain/ids.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { attempt } from "../../src/publishing/attempt.ts"
import { publishTarget } from "../../src/publishing/publishTarget.ts"
import { lease, sendTimeout } from "../../src/publishing/timing.ts"
import type { Claim } from "../../src/repo/targets/targets.ts"
import { fakeRepo } from "../support/fakeRepo.ts"

const epoch = DateTime.makeUnsafe(0)

/** A claim that was taken just now, changed as the test wants it. */
const claimed = (changes: Partial<Claim> = {}): Claim => ({
  targetId: TargetId.make("01a1fc17-0000-7000-8000-000000000001"),
  token: ClaimToken.make("01a1fc17-0000-7000-8000-000000000002"),
  workspaceId: WorkspaceId.make("01a1fc17-0000-7000-8000-000000000003"),
  postId: PostId.make("01a1fc17-0000-7000-8000-000000000004"),
  leaseUntil: DateTime.addDuration(epoch, lease),
  platform: "twitter",
  text: "Hello",
  settings: {},
  attempts: 1,
  reconcileAttempts: 0,
  dueSince: epoch,
  prepared: null,
  sentAt: null,
  resendOrdered: false,
  integration: {
    id: IntegrationId.make("01a1fc17-0000-7000-8000-000000000005"),
    accountId: "1",
    username: "team",
    serviceUrl: null,
    connected: true,
    version: "1"
  },
  ...changes
})

const maybeOut: Partial<Claim> = { prepared: "Hello", sentAt: epoch, attempts: 2, reconcileAttempts: 1 }

/** What comes of an attempt, and the calls that reached the platform; the database answers after a while. */
const attempted = Effect.fn("attempted")(function* (
  claim: Claim,
  answersAfter: Duration.Input = 0,
  platformAnswers: Effect.Effect<void> = Effect.void
) {
  const calls: Array<string> = []
  const call =
    (name: string): PlatformAdapter["publish"] =>
    (_, account) =>
      Effect.gen(function* () {
        yield* account.credentials.current
        calls.push(name)
        yield* platformAnswers
        return { platformPostId: "1", url: null }
      })
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    prepare: ({ text }) => Effect.succeed(text),
    publish: call("publish"),
    reconcile: call("reconcile")
  }
  const world = Layer.mergeAll(
    fakeRepo({
      targets: { beginSend: () => Effect.sleep(answersAfter) },
      integrations: { credentials: () => Effect.succeed(Redacted.make("access")) }
    }),
    Layer.succeed(PlatformClient, { twitter: adapter, bluesky: adapter }),
    Layer.mock(Notifier, {})
  )
  const running = yield* attempt(claim).pipe(
    Effect.match({
      onFailure: ({ _tag, message }) => ({ tag: _tag, message }),
      onSuccess: (outcome) =>
        outcome._tag === "Failed" ? { tag: outcome.error._tag, message: outcome.error.message } : undefined
    }),
    Effect.provide(world),
    Effect.forkChild
  )
  yield* TestClock.adjust(answersAfter)
  yield* TestClock.adjust(sendTimeout)
  return { failure: yield* Fiber.join(running), calls }
})

describe("An attempt", () => {
  const tooLate = Duration.sum(sendTimeout, Duration.seconds(1))

  it.effect("sends nothing where the database answered so late that another process may hold the claim", () =>
    Effect.gen(function* () {
      const { calls, failure } = yield* attempted(claimed(), tooLate)
      assert.deepStrictEqual([failure?.tag, calls], ["DatabaseUnavailable", []])
    })
  )

  it.effect("sends where the database answered in time", () =>
    Effect.gen(function* () {
      const { calls, failure } = yield* attempted(claimed(), "60 seconds")
      assert.deepStrictEqual([failure, calls], [undefined, ["publish"]])
    })
  )

  it.effect("repeats nothing either where another process may hold the claim", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(tooLate)
      const { calls, failure } = yield* attempted(claimed(maybeOut))
      assert.deepStrictEqual([failure?.tag, calls], ["DatabaseUnavailable", []])
    })
  )

  it.effect("tells the platform nothing more after twelve that did not end", () =>
    Effect.gen(function* () {
      const unsent = yield* attempted(claimed({ attempts: 13 }))
      assert.deepStrictEqual([unsent.failure?.tag, unsent.calls], ["Unavailable", []])
      const sent = yield* attempted(claimed({ ...maybeOut, attempts: 13 }))
      assert.deepStrictEqual([sent.failure?.tag, sent.calls], ["OutcomeUnknown", []])
    })
  )

  it.effect.each(["preparing", "storing that it begins to send"])("interrupted while %s gives its claim back", (step) =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const standStill = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      const released: Array<TargetId> = []
      const adapter: PlatformAdapter = {
        maxReconcileAttempts: 3,
        prepare: ({ text }) => (step === "preparing" ? standStill : Effect.succeed(text)),
        publish: () => Effect.die("Unexpected publish"),
        reconcile: () => Effect.die("Unexpected reconcile")
      }
      const world = Layer.mergeAll(
        fakeRepo({
          targets: {
            beginSend: () => standStill,
            release: ({ targetId }) => Effect.sync(() => released.push(targetId))
          }
        }),
        Layer.succeed(PlatformClient, { twitter: adapter, bluesky: adapter }),
        Layer.mock(Notifier, {})
      )
      const running = yield* Effect.forkChild(Effect.provide(publishTarget(claimed()), world))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(released, [claimed().targetId])
    })
  )

  it.effect("does not wait for ever for a platform", () =>
    Effect.gen(function* () {
      const { failure } = yield* attempted(claimed(), 0, Effect.never)
      assert.strictEqual(failure?.tag, "OutcomeUnknown")
    })
  )

  it.effect("says that an earlier send may be out where the account has to be connected again", () =>
    Effect.gen(function* () {
      const integration = { ...claimed().integration, connected: false }
      const { failure } = yield* attempted(claimed({ ...maybeOut, integration }))
      assert.strictEqual(failure?.tag, "NeedsReauthorization")
      assert.include(failure?.message, "it may have been published already")
      const unsent = yield* attempted(claimed({ integration }))
      assert.notInclude(unsent.failure?.message, "it may have been published already")
    })
  )
})
