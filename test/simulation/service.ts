import { Cause, Clock, Effect, Fiber, Layer, Logger, References } from "effect"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { makeBlueskyAdapter } from "../../src/platforms/bluesky/adapter.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../src/repo/Repo.ts"
import type { Agenda } from "./agenda.ts"
import type { BlueskyServer } from "./blueskyServer.ts"
import type { Ids } from "./ids.ts"
import { type Machine, makeMachine } from "./machine.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import { makeNetwork } from "./network.ts"
import { simulatedRepo } from "./simulatedRepo.ts"
import type { World } from "./world.ts"
import type { XServer } from "./xServer.ts"

/** All that processes meet in. */
export interface Surroundings {
  readonly world: World
  readonly database: MemoryDatabase
  readonly ids: Ids
  readonly x: XServer
  readonly bluesky: BlueskyServer
  readonly agenda: Agenda
  /** Whether nothing goes wrong. */
  readonly calm: boolean
}

/** The service's own code as a process runs it: the real scheduled fiber, publisher, notifier and adapters. */
const publishing = ({ bluesky, database, ids, world, x }: Surroundings, machine: Machine) => {
  const platforms = Layer.succeed(PlatformClient, {
    twitter: makeTwitterAdapter(
      { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
      makeNetwork(world, machine, x)
    ),
    bluesky: makeBlueskyAdapter(
      { defaultServiceUrl: "https://pds.test", webUrl: "https://bsky.test" },
      makeNetwork(world, machine, bluesky)
    )
  })
  const repo = Layer.effect(
    Repo,
    Effect.map(simulatedRepo(world, database, machine, ids), ({ repo }) => repo)
  )
  return scheduledFiber.pipe(
    Layer.provide(Publisher.layer),
    Layer.provide(Notifier.layer),
    Layer.provide(Layer.merge(platforms, repo))
  )
}

/** How far a process's clock is off: mostly a little; behind never by more than the lease makes up for. */
const drawSkew = ({ calm, world: { dice } }: Surroundings): number => {
  if (calm || dice.chance(0.5)) return dice.between(-200, 200)
  return dice.chance(0.6) ? dice.between(-30_000, 30_000) : dice.between(-85_000, 600_000)
}

/** What a process logs as an error is a fault of the service. */
const errorsOf = (world: World, machine: Machine) =>
  Logger.make(({ cause, message }) => world.violated(`${machine.name} logs: ${String(message)} ${Cause.pretty(cause)}`))

/** One process that is started, killed, frozen and stopped, again and again. */
export interface Process {
  readonly start: Effect.Effect<void>
  readonly machine: () => Machine | undefined
  /** SIGKILL. */
  readonly kill: Effect.Effect<void>
  /** SIGKILL, and nobody starts it again before a time. */
  readonly keepDown: (until: number) => Effect.Effect<void>
  /** SIGTERM, and SIGKILL where it does not end within `patience` milliseconds. */
  readonly stop: (patience: number) => Effect.Effect<void>
}

export const makeProcess = (surroundings: Surroundings, name: string): Process => {
  const { agenda, world } = surroundings
  let life = 0
  let downUntil = 0
  let machine: Machine | undefined
  let fiber: Fiber.Fiber<never, unknown> | undefined

  const running = () => machine?.alive() === true
  // Whoever watches over the process starts it again, after a while.
  const startAgain = () => {
    const wait = world.dice.between(1000, world.dice.chance(0.9) ? 120_000 : 3_600_000)
    agenda.add(Math.max(world.now() + wait, downUntil), start)
  }

  const start: Effect.Effect<void> = Effect.gen(function* () {
    if (running() || downUntil > world.now()) return
    life += 1
    const skew = drawSkew(surroundings)
    const started = makeMachine(world, `${name}.${life}`, skew)
    machine = started
    world.note(started.name, `starts, its clock ${skew} ms off`)
    world.count("process started")
    started.whenKilled(startAgain)
    started.whenToldToStop(stop(30 * 1000))
    fiber = yield* Layer.launch(Layer.fresh(publishing(surroundings, started))).pipe(
      Effect.tapDefect((defect) => Effect.logError("The process fails", Cause.die(defect))),
      Effect.provide(Logger.layer([errorsOf(world, started)])),
      Effect.provideService(References.MinimumLogLevel, "Error"),
      Effect.provideService(Clock.Clock, started.clock),
      Effect.forkDetach
    )
  })

  const kill = Effect.sync(() => {
    if (!running()) return
    world.count("process killed")
    machine?.kill("by SIGKILL")
  })

  const keepDown = (until: number) =>
    Effect.suspend(() => {
      downUntil = until
      agenda.add(until, start)
      return kill
    })

  const stop = (patience: number) =>
    Effect.suspend(() => {
      const stopping = machine
      const forked = fiber
      if (stopping === undefined || forked === undefined || !stopping.alive()) return Effect.void
      world.count("process stopped")
      world.note(stopping.name, "is told to stop")
      agenda.add(
        world.now() + patience,
        Effect.sync(() => stopping.kill("because it does not stop"))
      )
      return world.begin(
        Effect.andThen(stopping.running, Fiber.interrupt(forked)).pipe(
          Effect.andThen(Effect.sync(() => stopping.kill("at its own end")))
        )
      )
    })

  return { start, kill, keepDown, stop, machine: () => machine }
}
