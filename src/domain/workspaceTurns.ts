import { type Duration, Effect, Latch, Scheduler, type Scope } from "effect"
import type { WorkspaceId } from "./ids.ts"

export interface TurnLimits {
  readonly total: number
  readonly perWorkspace: number
}

/** The work of one workspace. */
interface Line {
  running: number
  /** In order of arrival; each begins its work. */
  readonly waiting: Set<() => void>
  /** Grows with each piece of work. A line that had none continues where the others are, so none saves up turns. */
  turn: number
}

const isIdle = ({ running, waiting }: Line): boolean => running === 0 && waiting.size === 0

/**
 * Hands out a shared resource. The next work is of the waiting workspace that had the fewest turns lately, however much
 * the others have waiting. With `perWorkspace` below `total`, long work of one workspace leaves a place for others.
 * Effect's PartitionedSemaphore has no bound for one partition.
 */
export interface WorkspaceTurns<Id = WorkspaceId> {
  readonly inTurn: (id: Id) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Takes a place until the scope closes. */
  readonly takeScoped: (id: Id) => Effect.Effect<void, never, Scope.Scope>
  /** True if work that came now would not wait. */
  readonly isFree: (id: Id) => boolean
}

export const makeWorkspaceTurns = <Id = WorkspaceId>({ perWorkspace, total }: TurnLimits): WorkspaceTurns<Id> => {
  const lines = new Map<Id, Line>()
  let running = 0
  /** The turn of the work that began last. */
  let current = 0

  const lineOf = (id: Id): Line => {
    const line = lines.get(id) ?? { running: 0, waiting: new Set(), turn: current }
    lines.set(id, line)
    return line
  }

  /** Keeps idle lines that are ahead of the others, so that a workspace gains nothing by coming anew. */
  const dropIdle = () => {
    for (const [id, line] of lines) if (isIdle(line) && (running === 0 || line.turn <= current)) lines.delete(id)
  }

  const mayBegin = (line: Line): boolean => running < total && line.running < perWorkspace

  const begin = (line: Line): Line => {
    current = Math.max(current, line.turn)
    line.turn = current + 1
    line.running++
    running++
    return line
  }

  const findNext = (): Line | undefined => {
    let next: Line | undefined
    for (const line of lines.values()) {
      const isBefore = next === undefined || line.turn < next.turn
      if (line.waiting.size > 0 && mayBegin(line) && isBefore) next = line
    }
    return next
  }

  const serve = () => {
    for (let line = findNext(); line !== undefined; line = findNext()) {
      const [first] = line.waiting
      if (first === undefined) break
      line.waiting.delete(first)
      begin(line)
      first()
    }
    dropIdle()
  }

  const takeNext = (id: Id) =>
    Effect.suspend(() => {
      const line = lineOf(id)
      if (line.waiting.size === 0 && mayBegin(line)) return Effect.succeed(begin(line))
      return Effect.callback<Line>((resume) => {
        const start = () => resume(Effect.succeed(line))
        line.waiting.add(start)
        return Effect.sync(() => {
          if (line.waiting.delete(start)) dropIdle()
        })
      })
    })

  // Without the scheduler's yields, no interruption comes between a turn's beginning and its release.
  const take = (id: Id) =>
    Effect.provideService(Effect.interruptible(takeNext(id)), Scheduler.PreventSchedulerYield, true)

  const release = (line: Line) =>
    Effect.sync(() => {
      line.running--
      running--
      serve()
    })

  return {
    inTurn: (id) => (work) => Effect.acquireUseRelease(take(id), () => work, release),
    takeScoped: (id) => Effect.asVoid(Effect.acquireRelease(take(id), release)),
    isFree: (id) => {
      const line = lines.get(id)
      return line === undefined ? running < total : line.waiting.size === 0 && mayBegin(line)
    }
  }
}

/** Fails with `late` if the work's turn does not come in time. The work itself may take longer. */
export const withinWait =
  <L>(inTurn: ReturnType<WorkspaceTurns["inTurn"]>, maxWait: Duration.Input, late: L) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | L, R> =>
    Effect.flatMap(Latch.make(), (begun) =>
      Effect.raceFirst(
        inTurn(Effect.andThen(begun.open, work)),
        Effect.andThen(
          Effect.timeoutOrElse(begun.await, { duration: maxWait, orElse: () => Effect.fail(late) }),
          Effect.never
        )
      )
    )
