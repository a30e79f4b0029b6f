import { type Array as Arr, Effect } from "effect"
import { drawFaultRates } from "./faults.ts"
import { shortId } from "./ids.ts"
import type { Process } from "./process.ts"
import type { Environment, Replica } from "./replica.ts"
import type { IntegrationRow } from "./rows.ts"
import type { Workload } from "./workload.ts"
import { hour, minute, second } from "./world.ts"

/** Schedules faults of processes, the database and accounts, mostly when posts are due. Draws the fault rates. */
export const planFaults = (
  { database, events, isPunctual, platforms, refusesSettling, servers, world }: Environment,
  replicas: Arr.NonEmptyReadonlyArray<Replica>,
  { dueTimes, posts }: Workload
): void => {
  const { prng } = world
  const drawTime = () => prng.pick(dueTimes) + prng.between(-5 * second, prng.chance(0.7) ? 30 * second : 10 * minute)

  /** Schedules an event up to `limit` times in half of the seeds, and never in the others. */
  const upTo = (limit: number, event: () => Effect.Effect<void>) => {
    for (let times = prng.chance(0.5) ? 0 : prng.between(1, limit); times > 0; times--)
      events.schedule(drawTime(), event())
  }
  /** For events that delay due posts while a process runs. */
  const upToUnlessPunctual = (limit: number, event: () => Effect.Effect<void>) => {
    if (!isPunctual) upTo(limit, event)
  }
  const onProcess = (what: string, inject: (process: Process) => void) =>
    Effect.sync(() => {
      const process = prng.pick(replicas).process()
      if (process?.isAlive() !== true) return
      world.count(`process ${what}`)
      inject(process)
    })
  const onAccount = (what: string, inject: (account: IntegrationRow) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      const accounts = [...database.committed.integrations.values()]
      const account = accounts.at(prng.between(0, Math.max(3, platforms.length - 1)))
      if (account === undefined) return Effect.void
      world.count(`account ${what}`)
      world.log(account.platform, `account ${account.accountId} is ${what}`)
      return inject(account)
    })

  upTo(6, () => Effect.suspend(() => prng.pick(replicas).kill))
  upTo(6, () => {
    const timeout = prng.chance(0.3) ? prng.between(0, 8 * second) : 30 * second
    return Effect.suspend(() => prng.pick(replicas).stop(timeout))
  })
  // Maintenance of the replica and the database: the replica's drain ends while the database is unavailable.
  upToUnlessPunctual(3, () => {
    const delay = prng.between(5 * second, 9 * second)
    const length = prng.between(second, 5 * second)
    return Effect.andThen(
      prng.pick(replicas).stop(30 * second),
      Effect.andThen(
        world.sleep(delay),
        Effect.sync(() => database.makeUnavailableUntil(world.now() + length))
      )
    )
  })
  upTo(4, () => {
    const length = prng.between(10 * second, 12 * minute)
    return onProcess("frozen", (process) => {
      world.log(process.name, `freezes for ${length / second} s`)
      process.freezeUntil(world.now() + length)
    })
  })
  upToUnlessPunctual(3, () => {
    const length = prng.between(2 * second, 4 * minute)
    return onProcess("partitioned from the database", (process) => {
      world.log(process.name, `can't reach the database for ${length / second} s`)
      process.partitionUntil(world.now() + length)
    })
  })
  upToUnlessPunctual(3, () => {
    const length = prng.between(2 * second, prng.chance(0.85) ? 2 * minute : 10 * minute)
    return Effect.sync(() => {
      world.count("database unavailable")
      world.log("database", `is unavailable for ${length / second} s`)
      database.makeUnavailableUntil(world.now() + length)
      database.closeListeners()
    })
  })
  // Depends on the seed and a separate generator, so that other seeds stay the same.
  for (let times = refusesSettling ? world.settling.between(1, 6) : 0; times > 0; times--) {
    const length = world.settling.between(2 * second, world.settling.chance(0.7) ? minute : 8 * minute)
    const at = world.settling.pick(dueTimes) + world.settling.between(-minute, 10 * second)
    const refuse = Effect.sync(() => {
      const process = world.settling.pick(replicas).process()
      if (process?.isAlive() !== true) return
      world.count("process can't settle")
      world.log(process.name, `can't store outcomes for ${length / second} s`)
      process.refuseSettlingUntil(world.now() + length)
    })
    events.schedule(at, refuse)
  }
  upTo(2, () =>
    onAccount("revoked", ({ accountId, platform }) => Effect.sync(() => servers[platform].revoke(accountId)))
  )
  upTo(1, () => {
    const length = prng.between(minute, 30 * minute)
    return onAccount("closed", ({ accountId, platform }) => {
      const server = servers[platform]
      server.setClosed(accountId, true)
      return Effect.andThen(
        world.sleep(length),
        Effect.sync(() => server.setClosed(accountId, false))
      )
    })
  })
  upTo(2, () => {
    const length = prng.between(minute, 20 * minute)
    return Effect.sync(() => {
      const open = [...database.committed.openTargets.values()]
      const postId = open[prng.between(0, open.length - 1)]?.postId
      if (postId === undefined) return
      world.log("database", `post ${shortId(postId)} can't be decoded for ${length / minute} minutes`)
      database.unreadablePosts.set(postId, world.now() + length)
    })
  })
  if (prng.chance(0.1)) {
    const length = prng.between(23 * hour, 30 * hour)
    events.schedule(
      drawTime(),
      Effect.suspend(() => {
        world.count("service down for a day")
        world.log("world", `the service is down for ${length / hour} hours`)
        return Effect.forEach(replicas, ({ keepDown }) => keepDown(world.now() + length), { discard: true })
      })
    )
  }
  if (prng.chance(0.04)) {
    world.count("poison post")
    world.setPoison(`Post ${prng.between(1, posts)}`)
  }
  world.setFaultRates(drawFaultRates(prng, isPunctual))
}
