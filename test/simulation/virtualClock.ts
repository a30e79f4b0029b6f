import { type Clock, Duration, Effect, Scheduler } from "effect"

/**
 * A virtual clock that also schedules its sleeping fibers. Only `advanceTo` moves time. Sleeps end in TestClock's
 * order, but without its two fibers and real timer for each sleep, which took a third of a simulation's time.
 */
export interface VirtualClock extends Clock.Clock {
  readonly scheduler: Scheduler.Scheduler
  /** Ends due sleeps one by one. Each ends after everything that the previous sleep woke is suspended. */
  readonly advanceTo: (millis: number) => Effect.Effect<void>
}

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

/** The end of a sleep, with the scheduled tasks that follow from it. */
interface Wake {
  pending: number
  readonly whenIdle: () => void
}

// Fibers run in microtasks. A turn of the event loop for each fiber would take most of a simulated day's time.
const microtasks = new Scheduler.MixedScheduler("async", (task) => {
  let isCanceled = false
  queueMicrotask(() => {
    if (!isCanceled) task()
  })
  return () => {
    isCanceled = true
  }
})

export const makeVirtualClock = (start: number): VirtualClock => {
  let now = start
  /** In reverse order: the last sleep ends next. Of sleeps with equal ends, the one that began first ends first. */
  const sleepers: Array<Sleeper> = []
  let currentWake: Wake | undefined

  const runAsPartOf = (wake: Wake, task: () => void): void => {
    const outer = currentWake
    currentWake = wake
    task()
    currentWake = outer
  }

  const scheduler: Scheduler.Scheduler = {
    executionMode: microtasks.executionMode,
    shouldYield: (fiber) => microtasks.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = microtasks.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          const wake = currentWake
          if (wake === undefined) return dispatcher.scheduleTask(task, priority)
          wake.pending += 1
          return dispatcher.scheduleTask(() => {
            runAsPartOf(wake, task)
            wake.pending -= 1
            if (wake.pending === 0) wake.whenIdle()
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }

  const sleep = (duration: Duration.Duration): Effect.Effect<void> => {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.void
    return Effect.callback((resume) => {
      const sleeper: Sleeper = { until: now + millis, wake: () => resume(Effect.void) }
      sleepers.splice(sleepers.findLastIndex(({ until }) => until > sleeper.until) + 1, 0, sleeper)
      return Effect.sync(() => {
        const index = sleepers.indexOf(sleeper)
        if (index !== -1) sleepers.splice(index, 1)
      })
    })
  }

  const advanceTo = (millis: number) =>
    Effect.callback<void>((resume) => {
      const endNextSleep = () => {
        const next = sleepers.at(-1)
        if (next === undefined || next.until > millis) {
          now = millis
          return resume(Effect.void)
        }
        sleepers.pop()
        now = next.until
        const wake: Wake = { pending: 0, whenIdle: () => queueMicrotask(endNextSleep) }
        runAsPartOf(wake, next.wake)
        if (wake.pending === 0) queueMicrotask(endNextSleep)
      }
      // A forked fiber starts before time moves.
      queueMicrotask(() => queueMicrotask(endNextSleep))
    })

  const nanos = () => BigInt(Math.floor(now)) * 1_000_000n
  return {
    scheduler,
    advanceTo,
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep
  }
}
