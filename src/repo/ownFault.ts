import { type Array as Arr, Cause, Effect, Exit } from "effect"
import { isLockConflict } from "./postgres/databaseErrors.ts"

/** How many items of a batch that failed are run at once. */
const singlesAtOnce = 4

/** Whether a batch failed because of some of its members: a row that can't be written, or that another transaction locks. */
export const isOwnFault = <E>(cause: Cause.Cause<E>): boolean =>
  Cause.hasDies(cause) || cause.reasons.some((reason) => Cause.isFailReason(reason) && isLockConflict(reason.error))

/**
 * Runs items in one batch, or each alone if that fails with the fault of some of them: none fails for another one. `runOne` runs what is
 * run alone after that, several at once; as a batch of one by default.
 */
export const togetherOrAlone = <Item, A, E, EBatch>(
  items: Arr.NonEmptyReadonlyArray<Item>,
  run: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  isFaultOfSome: (cause: Cause.Cause<EBatch>) => boolean,
  runOne: (item: Item) => Effect.Effect<A, E | EBatch> = (item) =>
    Effect.flatMap(run([item]), ([result = Exit.die("An item of a batch has no result")]) => result)
): Effect.Effect<ReadonlyArray<Exit.Exit<A, E | EBatch>>, EBatch> => {
  if (items.length === 1) return run(items)
  return Effect.catchCauseIf(run(items), isFaultOfSome, () =>
    Effect.forEach(items, (item) => Effect.exit(runOne(item)), { concurrency: singlesAtOnce })
  )
}
