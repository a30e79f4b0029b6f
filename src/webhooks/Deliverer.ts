import { Cause, Context, DateTime, Duration, Effect, Layer, Random, Schedule } from "effect"
import { isSuccess } from "../domain/webhooks/deliveryPolicy.ts"
import { withLimit } from "../domain/grace.ts"
import type { CredentialsUnreadable, DatabaseUnavailable } from "../domain/errors.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { isOwnFault } from "../repo/ownFault.ts"
import { bestEffort, isLockConflict } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import type { DeliveryClaim, DeliveryOutcome, SettledDeliveries } from "../repo/webhooks/Webhooks.ts"
import { makeWorker, type Worker } from "../worker/makeWorker.ts"
import { attemptTimeout, bodyTimeout, makeAttempt } from "./attempt.ts"
import { initializeWebhookMetrics, recordAttempt, recordDisabled, recordUnreadable } from "./telemetry.ts"

/** Concurrent attempts of this process. `maxStrained` bounds attempts to webhooks that fail or are slow. */
const maxInFlight = 128
const maxStrained = 16

const batching = { endsPerTick: 64, endsDelay: "20 millis" } as const

/** A margin for clock differences, and for a database outage before an outcome is written. */
const leaseMargin = Duration.seconds(30)

const lease = Duration.sum(Duration.sum(attemptTimeout, bodyTimeout), leaseMargin)

/** The pause of a webhook whose key an operator has to restore. */
const unreadablePause = Duration.minutes(1)

/** At shutdown, attempts in flight get this long. */
const drainTimeout = Duration.seconds(5)

/** The time for writing outcomes after the attempts. */
const settleTimeout = Duration.seconds(5)

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

/**
 * Writes outcomes, claims due deliveries for the free slots, and begins an attempt on each. An interrupted attempt
 * returns its delivery to the queue.
 */
export class Deliverer extends Context.Service<Deliverer, Worker<DatabaseUnavailable>>()(
  "social-publisher/webhooks/Deliverer"
) {
  static readonly layer = Layer.effect(
    Deliverer,
    Effect.gen(function* () {
      const repo = yield* Repo
      const { webhooksDisabled } = yield* Notifier
      const attempt = yield* makeAttempt
      let inFlight = 0
      let strained = 0
      yield* initializeWebhookMetrics

      const write = (batch: ReadonlyArray<DeliveryOutcome>) =>
        repo.webhooks.settle(batch).pipe(
          Effect.tap(({ disabled }) => webhooksDisabled(disabled)),
          repo.transaction,
          Effect.tap(logChanges)
        )
      const writeDelivered = (batch: ReadonlyArray<DeliveryOutcome>) =>
        Effect.tap(repo.webhooks.settle(batch), logChanges)

      /** Unwritten outcomes. During a database outage they wait, and nothing is claimed. */
      let ended: Array<DeliveryOutcome> = []

      const putBack = (outcomes: ReadonlyArray<DeliveryOutcome>) => Effect.sync(() => void ended.push(...outcomes))

      /** After an outage each outcome is put back exactly once, because each write counts for its webhook. */
      const writeBatch = (
        batch: ReadonlyArray<DeliveryOutcome>,
        writeAll: typeof write
      ): Effect.Effect<unknown, DatabaseUnavailable> => {
        if (batch.length === 0) return Effect.void
        return writeAll(batch).pipe(
          Effect.tapError((error) => (isLockConflict(error) ? Effect.void : putBack(batch))),
          Effect.onInterrupt(() => putBack(batch)),
          // An outcome that can't be written, or whose webhook is locked, does not block the others.
          Effect.catchCauseIf(isOwnFault, (cause) => {
            if (batch.length > 1) {
              return Effect.forEach(
                batch,
                (each, index) => Effect.tapError(writeBatch([each], writeAll), () => putBack(batch.slice(index + 1))),
                { discard: true }
              )
            }
            return Cause.hasDies(cause)
              ? Effect.logError("The outcome of a delivery could not be written; it will be sent once more", cause)
              : putBack(batch)
          })
        )
      }

      /** One statement writes outcomes of webhooks without failures; a transaction writes others. */
      const settle = Effect.suspend(() => {
        const batch = ended
        ended = []
        const failed = new Set(batch.flatMap(({ claim, result }) => (isSuccess(result) ? [] : [claim.webhookId])))
        const delivered = batch.filter(({ claim }) => !failed.has(claim.webhookId))
        const others = batch.filter(({ claim }) => failed.has(claim.webhookId))
        return Effect.andThen(Effect.exit(writeBatch(delivered, writeDelivered)), (written) =>
          Effect.andThen(writeBatch(others, write), written)
        )
      })

      /** Nothing was sent to the receiver, so the attempt does not count as its failure. */
      const setAside = Effect.fnUntraced(function* (claim: DeliveryClaim, { message }: CredentialsUnreadable) {
        yield* annotated(claim.webhookId)(Effect.logError(`A webhook gets nothing for a minute. ${message}`))
        yield* recordUnreadable
        yield* repo.webhooks.release([claim], DateTime.addDuration(yield* DateTime.now, unreadablePause))
      })

      const run = (claim: DeliveryClaim) =>
        attempt(claim).pipe(
          Effect.onInterrupt(() =>
            bestEffort("A delivery stays claimed until its lease ends")(repo.webhooks.release([claim]))
          ),
          Effect.flatMap((result) =>
            Effect.gen(function* () {
              yield* recordAttempt(result)
              ended.push({ claim, result, endedAt: yield* DateTime.now, jitter: yield* Random.next })
            })
          ),
          Effect.catchTag("CredentialsUnreadable", (error) => setAside(claim, error)),
          bestEffort("An attempt to deliver failed; the delivery will be sent once more when its lease has ended"),
          Effect.asVoid
        )

      const change = (by: 1 | -1, claim: DeliveryClaim) => {
        inFlight += by
        if (claim.strained) strained += by
      }

      const claim = Effect.gen(function* () {
        yield* settle
        const limit = maxInFlight - inFlight
        return limit > 0
          ? yield* repo.webhooks.claim({ limit, strained: Math.max(0, maxStrained - strained) }, lease)
          : []
      })

      const worker = yield* makeWorker({
        name: "Deliverer",
        batching,
        drainTimeout,
        claim,
        begin: (claimed: DeliveryClaim) => {
          change(1, claimed)
          return run(claimed).pipe(
            Effect.ensuring(Effect.sync(() => change(-1, claimed))),
            // True, because the next tick has to write the outcome.
            Effect.as(true)
          )
        }
      })

      const settleAll = settle.pipe(
        Effect.retry({ schedule: Schedule.spaced("1 second"), times: 3 }),
        withLimit(settleTimeout),
        bestEffort("The outcomes of deliveries could not be written; they will be sent once more")
      )
      const drain = Effect.andThen(worker.drain, settleAll)
      yield* Effect.addFinalizer(() => drain)

      return Deliverer.of({ ...worker, drain })
    })
  )
}
