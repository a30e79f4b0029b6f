import { type Array as Arr, Clock, Effect, Random, References, Scheduler } from "effect"
import { makeAgenda } from "./agenda.ts"
import { makeBlueskyServer } from "./blueskyServer.ts"
import { noFaults } from "./faults.ts"
import { makeIds } from "./ids.ts"
import { makeMemoryDatabase, type MemoryDatabase } from "./memoryDatabase.ts"
import { addTeam, makeOperators } from "./operators.ts"
import { planOrders } from "./orders.ts"
import { makePromises } from "./promises.ts"
import { makeProcess, type Surroundings } from "./service.ts"
import { planTroubles } from "./troubles.ts"
import { makeVirtualClock, type VirtualClock } from "./virtualClock.ts"
import { makeWorld, startOfTime } from "./world.ts"
import { makeXServer } from "./xServer.ts"

/** What one seed came to. */
export interface Outcome {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly trace: ReadonlyArray<string>
  /** How often each fault and each end happened. */
  readonly counts: ReadonlyMap<string, number>
  readonly simulatedMillis: number
}

export interface SimulationOptions {
  /** Nothing goes wrong, and what falls due has to be out within a minute. */
  readonly calm?: boolean
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** After this long without an order, and with nothing due, the processes only tick. */
const quiet = 20 * second

/** This long before the next order, or before anything falls due, the first process is awake again. */
const awake = 15 * second

/** When something of the database next falls due; now, while anything is being sent. */
const nextInDatabase = ({ committed }: MemoryDatabase, now: number): number => {
  let next = Number.POSITIVE_INFINITY
  for (const { dueAt, status } of committed.openTargets.values()) {
    if (status === "publishing") return now
    if (status === "pending" && dueAt !== null) next = Math.min(next, dueAt)
  }
  return next
}

const allEnded = ({ committed }: MemoryDatabase) =>
  [...committed.posts.values()].every(({ status }) => status !== "scheduled" && status !== "publishing")

const atLeastOne = <A>(most: number, make: (index: number) => A): Arr.NonEmptyReadonlyArray<A> => [
  make(1),
  ...Array.from({ length: most - 1 }, (_, index) => make(index + 2))
]

const run = Effect.fnUntraced(function* (clock: VirtualClock, seed: number, { calm = false }: SimulationOptions) {
  const world = yield* makeWorld
  const { dice } = world
  const database = makeMemoryDatabase(world)
  const promises = makePromises(world, database, calm)
  const agenda = makeAgenda()
  const surroundings: Surroundings = {
    world,
    database,
    agenda,
    calm,
    ids: yield* makeIds,
    x: makeXServer(world, promises, dice.chance(0.5)),
    bluesky: makeBlueskyServer(world, promises)
  }
  const teams = atLeastOne(dice.between(1, 2), () => addTeam(surroundings))
  const processes = atLeastOne(dice.between(1, 3), (index) => makeProcess(surroundings, `p${index}`))
  const operators = yield* makeOperators(surroundings, promises)
  const orders = planOrders(surroundings, operators, teams)
  const startAll = Effect.forEach(processes, ({ start }) => start, { discard: true })
  if (!calm) planTroubles(surroundings, processes, orders)

  const troubleEnds = orders.last + dice.between(1, 9) * hour
  const heal = Effect.suspend(() => {
    world.note("world", "all is well from here on")
    world.setRates(noFaults)
    world.setPoison(undefined)
    return startAll
  })
  agenda.add(troubleEnds, heal)
  agenda.add(troubleEnds + minute, operators.reconnectAll)

  yield* startAll
  // The service may be down for 30 hours of it.
  const end = troubleEnds + 60 * hour
  let lastEvent = world.now()
  while (world.now() < end && !(world.now() > troubleEnds + minute && allEnded(database))) {
    const now = world.now()
    const next = Math.min(agenda.next(), nextInDatabase(database, now), end)
    if (next > now + 2 * awake && now > lastEvent + quiet) {
      // They sleep through it, rather than tick in vain.
      for (const process of processes) process.machine()?.freezeUntil(next - dice.between(second, awake))
      yield* clock.advanceTo(next - awake)
    } else {
      yield* clock.advanceTo(Math.min(agenda.next(), now + 10 * second, end))
    }
    for (const event of agenda.take(world.now())) {
      lastEvent = world.now()
      yield* world.begin(event)
    }
  }
  promises.atEnd()
  const { counts, trace, violations } = world
  const outcome: Outcome = { seed, violations, trace, counts, simulatedMillis: world.now() - startOfTime }
  return outcome
})

/** Simulates some days of the service; the seed decides everything that happens. */
export const simulate = (seed: number, options: SimulationOptions = {}): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const clock = makeVirtualClock(startOfTime)
    return run(clock, seed, options).pipe(
      Random.withSeed(seed),
      Effect.provideService(Clock.Clock, clock),
      Effect.provideService(Scheduler.Scheduler, clock.scheduler),
      Effect.provideService(References.TracerEnabled, false),
      Effect.scoped
    )
  })
