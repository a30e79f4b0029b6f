import { Effect } from "effect"
import { type Progress, ProgressDisplay } from "../../src/domain/progress.ts"

/** `last` returns the last report of each piece of long work. */
export const recordProgress = <A, E, R>(
  run: (last: () => ReadonlyArray<Progress | undefined>) => Effect.Effect<A, E, R>
) => {
  const reads: Array<() => Progress | undefined> = []
  return run(() => reads.map((read) => read())).pipe(
    Effect.provideService(ProgressDisplay, (read) => Effect.sync(() => void reads.push(read)))
  )
}
