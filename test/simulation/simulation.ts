import { type Array as Arr, Clock, Effect, Random, References, Scheduler } from "effect"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import { makeAccessChecks } from "./accessChecks.ts"
import { makeAccessLifetimes } from "./accessLifetimes.ts"
import { makeBlueskyServer } from "./blueskyServer.ts"
import { checkClaimDelays } from "./claimDelays.ts"
import { makeInstagramServer, makeThreadsServer } from "./containerServers.ts"
import { makeEventQueue } from "./eventQueue.ts"
import { makeFacebookServer } from "./facebookServer.ts"
import { noFaults } from "./faults.ts"
import { planFaults } from "./faultSchedule.ts"
import { makeIds } from "./ids.ts"
import { makeInvariants } from "./invariants.ts"
import { makeMemoryDatabase, type MemoryDatabase } from "./memoryDatabase.ts"
import { type Environment, makeReplica } from "./replica.ts"
import { makePunctuality } from "./punctuality.ts"
import { checkThreadTurns } from "./threadTurns.ts"
import { addWorkspace, makeUsers } from "./users.ts"
import { makeVirtualClock, type VirtualClock } from "./virtualClock.ts"
import { planWorkload } from "./workload.ts"
import { hour, makeWorld, minute, second, startTime } from "./world.ts"
import { makeLinkedinServer } from "./linkedinServer.ts"
import { makeTiktokServer } from "./tiktokServer.ts"
import { makeXServer } from "./xServer.ts"
import { makeYoutubeServer } from "./youtubeServer.ts"

export interface Outcome {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly trace: ReadonlyArray<string>
  /** By fault and by outcome. */
  readonly counts: ReadonlyMap<string, number>
  readonly simulatedMillis: number
}

export interface SimulationOptions {
  /** Injects no faults. Every post has to be claimed immediately and published within a minute of its time. */
  readonly faultFree?: boolean
}

/** Processes are frozen after this time without an event or due target, because they would only tick. */
const idleAfter = 20 * second

/** A frozen process resumes at most this long before the next event or due time, and at least a second. */
const wakeBefore = 15 * second

/** False answers, or answers that do not come from the platform. */
const hasAnswerFaults = (seed: number): boolean => seed % 5 === 0

/** Access ends before most posts are due. */
const hasEndingAccess = (seed: number): boolean => seed % 5 === 2

/** Also publishes on the platforms that an operator enables, with their oddities. */
const hasAllPlatforms = (seed: number): boolean => seed % 5 === 1

/** The number of workspaces that a crowded simulation adds. Each has two accounts. */
const moreWorkspaces = 4

/** The next due time, or the current time while a send is in flight. */
const nextDueInDatabase = ({ committed }: MemoryDatabase, now: number): number => {
  let next = Number.POSITIVE_INFINITY
  for (const { dueAt, status } of committed.openTargets.values()) {
    if (status === "publishing") return now
    if (status === "pending" && dueAt !== null) next = Math.min(next, dueAt)
  }
  for (const { nextAt, status } of committed.uploads.values()) {
    if (status === "uploading") return now
    if (nextAt !== null) next = Math.min(next, nextAt)
  }
  return next
}

const allEnded = ({ committed }: MemoryDatabase) =>
  [...committed.posts.values()].every(({ status }) => status !== "scheduled" && status !== "publishing")

const makeMany = <A>(count: number, make: (index: number) => A): Arr.NonEmptyReadonlyArray<A> => [
  make(1),
  ...Array.from({ length: count - 1 }, (_, index) => make(index + 2))
]

const run = Effect.fnUntraced(function* (clock: VirtualClock, seed: number, { faultFree = false }: SimulationOptions) {
  const world = yield* makeWorld(seed)
  const { prng } = world
  const database = makeMemoryDatabase(world)
  const invariants = makeInvariants(world, database, faultFree)
  const checkPunctuality = makePunctuality(world, database)
  if (faultFree) checkClaimDelays(world, database)
  checkThreadTurns(world, database)
  const isPunctual = faultFree || prng.chance(0.3)
  const events = makeEventQueue()
  // Even seeds have no threads, because they reach certain states without them.
  const hasThreads = seed % 2 === 1
  const endsAccess = hasEndingAccess(seed)
  world.setRenewalFaults(!faultFree && endsAccess)
  const lifetimes = endsAccess ? makeAccessLifetimes(world) : undefined
  const checks = makeAccessChecks(world, database)
  const environment: Environment = {
    world,
    database,
    events,
    faultFree,
    isPunctual,
    refusesSettling: seed % 5 === 0,
    endsAccess,
    ids: yield* makeIds,
    servers: {
      twitter: makeXServer(world, invariants, prng.chance(0.5), { checks, faultFree, hasThreads, lifetimes }),
      bluesky: makeBlueskyServer(world, invariants, lifetimes),
      linkedin: makeLinkedinServer(world, invariants),
      threads: makeThreadsServer(world, invariants),
      instagram: makeInstagramServer(world, invariants),
      facebook: makeFacebookServer(world, invariants),
      youtube: makeYoutubeServer(world, invariants),
      tiktok: makeTiktokServer(world, invariants)
    },
    platforms: hasAllPlatforms(seed) ? livePlatforms : ["twitter", "bluesky"]
  }
  // By the seed, so that other seeds draw the same numbers as before.
  const isCrowded = !faultFree && seed % 3 === 0
  world.setCrowded(isCrowded)
  world.setAnswerFaults(!faultFree && hasAnswerFaults(seed))
  world.setOddities(!faultFree && hasAllPlatforms(seed))
  const workspaces = makeMany(prng.between(1, 2) + (isCrowded ? moreWorkspaces : 0), () => addWorkspace(environment))
  const replicas = makeMany(prng.between(1, 3), (index) => makeReplica(environment, `p${index}`))
  const users = yield* makeUsers(environment, invariants)
  const workload = planWorkload(environment, users, workspaces, hasThreads)
  const startAll = Effect.forEach(replicas, ({ start }) => start, { discard: true })
  if (!faultFree) planFaults(environment, replicas, workload)

  const faultsEnd = workload.lastBurst + prng.between(1, 9) * hour
  const endFaults = Effect.suspend(() => {
    world.log("world", "faults end")
    world.setFaultRates(noFaults)
    world.setPoison(undefined)
    world.setCrowded(false)
    world.setAnswerFaults(false)
    world.setOddities(false)
    world.setRenewalFaults(false)
    return startAll
  })
  events.schedule(faultsEnd, endFaults)
  events.schedule(faultsEnd + minute, users.reconnectAll)

  yield* startAll
  // Allows for an outage of 30 hours.
  const end = faultsEnd + 60 * hour
  let lastEvent = world.now()
  while (world.now() < end && !(world.now() > faultsEnd + minute && allEnded(database))) {
    const now = world.now()
    const next = Math.min(events.nextTime(), nextDueInDatabase(database, now), end)
    if (next > now + 2 * wakeBefore && now > lastEvent + idleAfter) {
      for (const replica of replicas) replica.process()?.freezeUntil(next - prng.between(second, wakeBefore))
      yield* clock.advanceTo(next - wakeBefore)
    } else {
      yield* clock.advanceTo(Math.min(events.nextTime(), now + 10 * second, end))
    }
    if (isPunctual) {
      const processes = replicas.flatMap((replica) => replica.process() ?? [])
      checkPunctuality(processes)
      checks.checkWaits(processes)
    }
    for (const event of events.takeDue(world.now())) {
      lastEvent = world.now()
      // Behaves as after a sleep, so that time does not advance until the event has taken all steps that do not wait.
      yield* world.fork(Effect.andThen(world.sleep(1), event))
    }
  }
  invariants.checkEnd()
  const { counts, trace, violations } = world
  const outcome: Outcome = { seed, violations, trace, counts, simulatedMillis: world.now() - startTime }
  return outcome
})

/**
 * Deterministic simulation testing: runs the real scheduler and publisher for some simulated days, on an in-memory
 * database, simulated platforms and a virtual clock, with fault injection and checks of invariants. The seed determines
 * everything.
 */
export const simulate = (seed: number, options: SimulationOptions = {}): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const clock = makeVirtualClock(startTime)
    return run(clock, seed, options).pipe(
      Random.withSeed(seed),
      Effect.provideService(Clock.Clock, clock),
      Effect.provideService(Scheduler.Scheduler, clock.scheduler),
      Effect.provideService(References.TracerEnabled, false),
      Effect.scoped
    )
  })
