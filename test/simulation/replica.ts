import { Cause, Clock, Effect, Fiber, Layer, Logger, LogLevel, Option, Record, References, Schema } from "effect"
import { TargetId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { observed } from "../../src/platforms/lastCall.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { platformsAt } from "../../src/platforms/standIns.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { renewAheadFiber } from "../../src/publishing/renewAhead.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../src/repo/Repo.ts"
import type { EventQueue } from "./eventQueue.ts"
import { type Ids, shortId } from "./ids.ts"
import { filesLayer } from "./library.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import { makeMemoryRepo } from "./memoryRepo.ts"
import { makeNetwork } from "./network.ts"
import type { PlatformServer } from "./platformServer.ts"
import { makeProcess, type Process } from "./process.ts"
import type { World } from "./world.ts"

/** Shared by the replicas of a simulated deployment. */
export interface Environment {
  readonly world: World
  readonly database: MemoryDatabase
  readonly ids: Ids
  readonly servers: Readonly<Record<LivePlatform, PlatformServer>>
  /** The platforms on which every workspace has an account. */
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly events: EventQueue
  /** No faults are injected, and no clock is off by more than 200 ms. */
  readonly faultFree: boolean
  /** Despite the faults, everything due is attempted within a minute while a process runs. */
  readonly isPunctual: boolean
  /** Sometimes a process can open no further connection, and store no outcome. */
  readonly refusesSettling: boolean
  /** Access ends before most posts, and is renewed ahead. */
  readonly endsAccess: boolean
}

const connections = platformsAt("http://platforms.test", "https://sites.test")

/** The code under test: the real scheduled fiber, publisher, notifier and adapters, on a simulated Repo and network. */
const publisherLayer = ({ database, endsAccess, ids, servers, world }: Environment, process: Process) => {
  const platforms = Layer.effect(
    PlatformClient,
    Effect.gen(function* () {
      const { current } = yield* ProcessLease
      return yield* Effect.all(
        Record.map(connections, ({ makeAdapter }, platform) => {
          const call = observed(makeNetwork(world, process, servers[platform], current))
          return makeAdapter({ configured: call, guarded: call })
        })
      )
    })
  ).pipe(Layer.provide(ProcessLease.layer))
  const repo = Layer.effect(
    Repo,
    Effect.map(makeMemoryRepo(world, database, process, ids), ({ repo }) => repo)
  )
  const fibers = endsAccess ? Layer.merge(scheduledFiber, renewAheadFiber) : scheduledFiber
  return fibers.pipe(
    Layer.provide(Publisher.layer),
    Layer.provide(Notifier.layer),
    Layer.provide(platforms),
    Layer.provide(filesLayer),
    Layer.provide(repo)
  )
}

/** In milliseconds: usually small, and never further behind than a lease allows. */
const drawSkew = ({ isPunctual, world: { prng } }: Environment): number => {
  if (isPunctual || prng.chance(0.5)) return prng.between(-200, 200)
  return prng.chance(0.6) ? prng.between(-30_000, 30_000) : prng.between(-85_000, 600_000)
}

/** The annotations of a line about an attempt's outcome. */
const OutcomeLine = Schema.Struct({
  target_id: TargetId,
  part: Schema.optionalKey(Schema.Int),
  attempts: Schema.Int,
  outcome: Schema.String
})
const decodeOutcomeLine = Schema.decodeUnknownOption(OutcomeLine)

/**
 * Reports a violation for each error in a process's log, and for each line about a stored outcome that is not stored. A
 * lost outcome is hardly visible later, because the target is taken over and found on its platform.
 */
const checkingLogger = ({ database, world }: Environment, process: Process) =>
  Logger.make(({ cause, fiber, logLevel, message }) => {
    if (LogLevel.isGreaterThanOrEqualTo(logLevel, "Error")) {
      return world.violate(`${process.name} logs: ${String(message)} ${Cause.pretty(cause)}`)
    }
    const line = decodeOutcomeLine(fiber.getRef(References.CurrentLogAnnotations))
    if (Option.isNone(line)) return
    const { attempts, part = 1, target_id } = line.value
    const row = database.committed.targets.get(target_id)
    world.count("outcome checked")
    if (row?.status === "publishing" && row.part === part && row.attempts === attempts) {
      world.violate(`${process.name} takes the outcome of target ${shortId(target_id)} for stored`)
    }
  })

/** A replica of the service: one process at a time, restarted by its supervisor after each exit. */
export interface Replica {
  readonly start: Effect.Effect<void>
  readonly process: () => Process | undefined
  /** Sends SIGKILL. */
  readonly kill: Effect.Effect<void>
  /** Sends SIGKILL, and prevents a restart until this time. */
  readonly keepDown: (until: number) => Effect.Effect<void>
  /** Sends SIGTERM, and SIGKILL after `timeout` milliseconds. */
  readonly stop: (timeout: number) => Effect.Effect<void>
}

export const makeReplica = (environment: Environment, name: string): Replica => {
  const { events, world } = environment
  let starts = 0
  let downUntil = 0
  let process: Process | undefined
  let fiber: Fiber.Fiber<never, unknown> | undefined

  const isRunning = () => process?.isAlive() === true
  const restartLater = () => {
    const wait = world.prng.between(1000, world.prng.chance(0.9) ? 120_000 : 3_600_000)
    events.schedule(Math.max(world.now() + wait, downUntil), start)
  }

  /** Sets the clocks of some processes forward or back, usually during attempts. */
  const scheduleJump = (started: Process) => {
    if (environment.faultFree || !world.prng.chance(0.5)) return
    const jump = Effect.sync(() => {
      if (!started.isAlive()) return
      started.setClock(drawSkew(environment))
      world.count("clock set")
      if (started.claimTokens.size > 0) scheduleJump(started)
    })
    events.schedule(world.now() + world.prng.between(1000, 900_000), jump)
  }

  const start: Effect.Effect<void> = Effect.gen(function* () {
    if (isRunning() || downUntil > world.now()) return
    starts += 1
    const skew = drawSkew(environment)
    const started = makeProcess(world, `${name}.${starts}`, skew)
    process = started
    world.log(started.name, `starts, its clock ${skew} ms off`)
    world.count("process started")
    started.onKill(restartLater)
    started.onTerminate(stop(30_000))
    scheduleJump(started)
    fiber = yield* Layer.launch(Layer.fresh(publisherLayer(environment, started))).pipe(
      Effect.tapDefect((defect) => Effect.logError("The process fails", Cause.die(defect))),
      Effect.provide(Logger.layer([checkingLogger(environment, started)])),
      Effect.provideService(References.MinimumLogLevel, "Info"),
      Effect.provideService(Clock.Clock, started.clock),
      Effect.forkDetach
    )
  })

  const kill = Effect.sync(() => {
    if (!isRunning()) return
    world.count("process killed")
    process?.kill("by SIGKILL")
  })

  const keepDown = (until: number) =>
    Effect.suspend(() => {
      downUntil = until
      events.schedule(until, start)
      return kill
    })

  const stop = (timeout: number) =>
    Effect.suspend(() => {
      const stopping = process
      const forked = fiber
      if (stopping === undefined || forked === undefined || !stopping.isAlive()) return Effect.void
      world.count("process stopped")
      world.log(stopping.name, "gets SIGTERM")
      stopping.beginStop()
      events.schedule(
        world.now() + timeout,
        Effect.sync(() => stopping.kill("because it does not stop"))
      )
      return world.fork(
        Effect.andThen(stopping.untilRunning, Fiber.interrupt(forked)).pipe(
          Effect.andThen(Effect.sync(() => stopping.kill("at its own end")))
        )
      )
    })

  return { start, kill, keepDown, stop, process: () => process }
}
