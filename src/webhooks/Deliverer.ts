import {
  type Array as Arr,
  Cause,
  Context,
  DateTime,
  Duration,
  Effect,
  Exit,
  FiberSet,
  Layer,
  Random,
  Schedule
} from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { Notifier } from "../notifier/Notifier.ts"
import type { Outbound } from "../outbound/Outbound.ts"
import { makeGroupCommit } from "../repo/groupCommit.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { makeWakeUps } from "../repo/wakeUps.ts"
import type { DeliveryClaim, DeliveryOutcome, SettledDeliveries } from "../repo/webhooks/Webhooks.ts"
import { attempt, attemptTimeout, bodyTimeout } from "./attempt.ts"
import { initializeWebhookMetrics, recordAttempt, recordDisabled } from "./telemetry.ts"

/** Attempts of this process at a time, and how many of these to webhooks that fail or are slow. */
const maxInFlight = 64
const maxStrained = 16

const batching = { endsPerTick: 32, endsDelay: "20 millis" } as const

/** How far clocks may differ, and how long the database may be away until an outcome is written. */
const leaseMargin = Duration.seconds(30)

/** How long a claim is exclusive to its process. */
const lease = Duration.sum(Duration.sum(attemptTimeout, bodyTimeout), leaseMargin)

/** How long a process that shuts down waits for attempts in flight before it interrupts them. */
const drainTimeout = Duration.seconds(5)

const annotated = (webhookId: string) => Effect.annotateLogs({ webhook_id: webhookId })

const logChanges = Effect.fnUntraced(function* ({ closed, disabled, opened }: SettledDeliveries) {
  for (const id of opened)
    yield* Effect.logWarning("The circuit of a webhook is open: it fails and gets single deliveries only").pipe(
      annotated(id)
    )
  for (const id of closed)
    yield* Effect.logInfo("The circuit of a webhook is closed: it responds again").pipe(annotated(id))
  for (const { id, reason } of disabled)
    yield* Effect.logWarning(`A webhook was disabled: ${reason}`).pipe(annotated(id))
  yield* recordDisabled(disabled.length)
})

/** Delivers events to webhooks. */
export class Deliverer extends Context.Service<
  Deliverer,
  {
    /** Claims deliveries that are due, as many as there are free slots, and starts an attempt on each. Returns how many. */
    readonly tick: Effect.Effect<number, DatabaseUnavailable>
    /** Requests a tick. */
    readonly wake: Effect.Effect<void>
    /** Waits until a tick was requested or attempts have ended. */
    readonly woken: Effect.Effect<void>
    /** Waits until no attempt is in flight. */
    readonly idle: Effect.Effect<void>
    /** Waits up to `drainTimeout` for attempts in flight; interrupts the rest, which are returned to the queue. */
    readonly drain: Effect.Effect<void>
  }
>()("social-publisher/webhooks/Deliverer") {
  static readonly layer = Layer.effect(
    Deliverer,
    Effect.gen(function* () {
      const repo = yield* Repo
      const { webhooksDisabled } = yield* Notifier
      const context = yield* Effect.context<Repo | Outbound>()
      const inFlight = yield* FiberSet.make()
      const idle = FiberSet.awaitEmpty(inFlight)
      const { tickBegins, wake, woken, workEnds } = yield* makeWakeUps(inFlight, batching)
      let strained = 0
      yield* initializeWebhookMetrics

      const write = (batch: ReadonlyArray<DeliveryOutcome>) =>
        repo.webhooks.settle(batch).pipe(
          Effect.tap(({ disabled }) => webhooksDisabled(disabled)),
          repo.transaction,
          Effect.tap(logChanges)
        )

      type Written = Exit.Exit<SettledDeliveries, DatabaseUnavailable>
      const writeBatch = (
        batch: Arr.NonEmptyReadonlyArray<DeliveryOutcome>
      ): Effect.Effect<ReadonlyArray<Written>, DatabaseUnavailable> =>
        Effect.map(write(batch), (settled) => batch.map((): Written => Exit.succeed(settled))).pipe(
          // One that can't be written does not keep the others from being written.
          Effect.catchCauseIf(Cause.hasDies, () => Effect.forEach(batch, (each) => Effect.exit(write([each]))))
        )
      const settle = yield* makeGroupCommit(writeBatch)

      const run = (claim: DeliveryClaim) =>
        Effect.gen(function* () {
          const result = yield* attempt(claim).pipe(
            Effect.onInterrupt(() =>
              bestEffort("A delivery stays claimed until its lease ends")(repo.webhooks.release([claim]))
            )
          )
          yield* recordAttempt(result)
          const outcome = { claim, result, endedAt: yield* DateTime.now, jitter: yield* Random.next }
          // What can't be written is sent once more when the lease has ended.
          yield* Effect.retry(settle(outcome), { schedule: Schedule.spaced("1 second"), times: 3 })
        }).pipe(
          bestEffort("The outcome of a delivery could not be written; it will be sent once more"),
          Effect.provideContext(context),
          Effect.ensuring(
            Effect.suspend(() => {
              if (claim.strained) strained--
              return workEnds
            })
          )
        )

      const tick = Effect.gen(function* () {
        yield* tickBegins
        const limit = maxInFlight - (yield* FiberSet.size(inFlight))
        if (limit <= 0) return 0
        const claims = yield* repo.webhooks.claim({ limit, strained: Math.max(0, maxStrained - strained) }, lease)
        for (const claim of claims) {
          if (claim.strained) strained++
          yield* FiberSet.run(inFlight, run(claim))
        }
        return claims.length
      }).pipe(Effect.uninterruptible, Effect.withSpan("Deliverer.tick"))

      const drain = Effect.andThen(Effect.timeoutOption(idle, drainTimeout), FiberSet.clear(inFlight))
      yield* Effect.addFinalizer(() => drain)

      return Deliverer.of({ tick, wake, woken, idle, drain })
    })
  )
}
