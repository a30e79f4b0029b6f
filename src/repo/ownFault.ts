import { type Array as Arr, Cause, Effect, Exit } from "effect"
import { isLockConflict } from "./postgres/databaseErrors.ts"

/** How many items of a batch that failed are run at once. */
export const singlesAtOnce = 4

/** Whether a batch failed because of some of its members: a row that can't be written, or that another transaction locks. */
export const isOwnFault = <E>(cause: Cause.Cause<E>): boolean =>
  Cause.hasDies(cause) || cause.reasons.some((reason) => Cause.isFailReason(reason) && isLockConflict(reason.error))

/** Runs each item of a batch alone, several at once, if the batch has failed with the fault of some of them: none fails for another one. */
export const orEachAlone =
  <Item, A, E, EBatch>(
    items: Arr.NonEmptyReadonlyArray<Item>,
    isFaultOfSome: (cause: Cause.Cause<EBatch>) => boolean,
    runAlone: (item: Item) => Effect.Effect<A, E>
  ) =>
  (
    together: Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>
  ): Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch> =>
    items.length === 1
      ? together
      : Effect.catchCauseIf(together, isFaultOfSome, () =>
          Effect.forEach(items, (item) => Effect.exit(runAlone(item)), { concurrency: singlesAtOnce })
        )

/** What runs an item as a batch of one. */
export const asBatchOfOne =
  <Item, A, E, EBatch>(
    run: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>
  ) =>
  (item: Item): Effect.Effect<A, E | EBatch> =>
    Effect.flatMap(
      Effect.suspend(() => run([item])),
      ([result = Exit.die("An item of a batch has no result")]) => result
    )

/** Runs items in one batch, or each as a batch of one if that fails with the fault of some of them. */
export const togetherOrAlone = <Item, A, E, EBatch>(
  items: Arr.NonEmptyReadonlyArray<Item>,
  run: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  isFaultOfSome: (cause: Cause.Cause<EBatch>) => boolean
): Effect.Effect<ReadonlyArray<Exit.Exit<A, E | EBatch>>, EBatch> =>
  orEachAlone<Item, A, E | EBatch, EBatch>(items, isFaultOfSome, asBatchOfOne(run))(run(items))
