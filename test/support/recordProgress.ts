import { Effect } from "effect"
import { type Progress, ProgressDisplay } from "../../src/domain/progress.ts"

/** Runs an effect with a record of its long work; `last` returns the last report of each piece of it so far. */
export const recordProgress = <A, E, R>(
  run: (last: () => ReadonlyArray<Progress | undefined>) => Effect.Effect<A, E, R>
) => {
  const reads: Array<() => Progress | undefined> = []
  return run(() => reads.map((read) => read())).pipe(
    Effect.provideService(ProgressDisplay, (read) => Effect.sync(() => void reads.push(read)))
  )
}
