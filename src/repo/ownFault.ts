import { type Array as Arr, Cause, Effect, Exit } from "effect"
import { singlesAtOnce } from "./batchBounds.ts"
import { isLockConflict } from "./postgres/databaseErrors.ts"

/** True if a row can't be written, or another transaction locks it. */
export const isOwnFault = <E>(cause: Cause.Cause<E>): boolean =>
  Cause.hasDies(cause) || cause.reasons.some((reason) => Cause.isFailReason(reason) && isLockConflict(reason.error))

/** Runs each item alone if some failed the batch. */
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

export const asBatchOfOne =
  <Item, A, E, EBatch>(
    run: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>
  ) =>
  (item: Item): Effect.Effect<A, E | EBatch> =>
    Effect.flatMap(
      Effect.suspend(() => run([item])),
      ([result = Exit.die("An item of a batch has no result")]) => result
    )

export const togetherOrAlone = <Item, A, E, EBatch>(
  items: Arr.NonEmptyReadonlyArray<Item>,
  run: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  isFaultOfSome: (cause: Cause.Cause<EBatch>) => boolean
): Effect.Effect<ReadonlyArray<Exit.Exit<A, E | EBatch>>, EBatch> =>
  orEachAlone<Item, A, E | EBatch, EBatch>(items, isFaultOfSome, asBatchOfOne(run))(run(items))
