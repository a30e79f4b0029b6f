import { Duration, Effect } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { makeWorker } from "../worker/makeWorker.ts"
import { retryWhileUnavailable } from "../worker/retryWhileUnavailable.ts"

const batching = { endsPerTick: 4, endsDelay: "20 millis" } as const

const drainTimeout = Duration.seconds(5)

interface DeliveryWork<Claim, Result, R> {
  readonly name: string
  /** Messages of this process at one time. */
  readonly maxInFlight: number
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<Claim>, DatabaseUnavailable>
  readonly attempt: (claim: Claim) => Effect.Effect<Result, never, R>
  /** Returns the message of an interrupted attempt to the queue. It may arrive twice then. */
  readonly release: (claim: Claim) => Effect.Effect<void, DatabaseUnavailable>
  readonly settle: (claim: Claim, result: Result) => Effect.Effect<void, DatabaseUnavailable>
  readonly report: (claim: Claim, result: Result) => Effect.Effect<void>
}

/** Claims due messages about notifications for the free slots, and sends each. */
export const makeDeliveryWorker = Effect.fnUntraced(function* <Claim, Result, R>({
  attempt,
  claim,
  maxInFlight,
  name,
  release,
  report,
  settle
}: DeliveryWork<Claim, Result, R>) {
  let inFlight = 0

  const run = (claimed: Claim) =>
    attempt(claimed).pipe(
      Effect.onInterrupt(() => bestEffort("A message stays claimed until its lease ends")(release(claimed))),
      Effect.flatMap((result) =>
        Effect.andThen(report(claimed, result), retryWhileUnavailable(settle(claimed, result)))
      ),
      bestEffort("The outcome of a message could not be written; it will be sent once more")
    )

  return yield* makeWorker({
    name,
    batching,
    drainTimeout,
    claim: Effect.suspend(() => (inFlight < maxInFlight ? claim(maxInFlight - inFlight) : Effect.succeed([]))),
    begin: (claimed: Claim) => {
      inFlight += 1
      return run(claimed).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            inFlight -= 1
          })
        ),
        // Another message may wait for the slot.
        Effect.as(true)
      )
    }
  })
})
