import { type Array as Arr, Effect } from "effect"
import { drawRates } from "./faults.ts"
import type { IntegrationRow } from "./rows.ts"
import type { Machine } from "./machine.ts"
import type { Orders } from "./orders.ts"
import type { Process, Surroundings } from "./service.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Draws what befalls processes, the database and accounts into the agenda, mostly while something is being sent. */
export const planTroubles = (
  { agenda, bluesky, database, world, x }: Surroundings,
  processes: Arr.NonEmptyReadonlyArray<Process>,
  { moments, posts }: Orders
): void => {
  const { dice } = world
  const busyMoment = () => dice.pick(moments) + dice.between(-5 * second, dice.chance(0.7) ? 30 * second : 10 * minute)

  /** Up to so many times, in every other seed. */
  const sometimes = (most: number, event: () => Effect.Effect<void>) => {
    for (let times = dice.chance(0.5) ? 0 : dice.between(1, most); times > 0; times--) agenda.add(busyMoment(), event())
  }
  const toMachine = (what: string, befall: (machine: Machine) => void) =>
    Effect.sync(() => {
      const machine = dice.pick(processes).machine()
      if (machine?.alive() !== true) return
      world.count(`process ${what}`)
      befall(machine)
    })
  const toAccount = (what: string, befall: (account: IntegrationRow) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      const account = [...database.committed.integrations.values()].at(dice.between(0, 3))
      if (account === undefined) return Effect.void
      world.count(`account ${what}`)
      world.note(account.platform, `account ${account.accountId} is ${what}`)
      return befall(account)
    })

  sometimes(6, () => Effect.suspend(() => dice.pick(processes).kill))
  sometimes(6, () => {
    const patience = dice.chance(0.3) ? dice.between(0, 8 * second) : 30 * second
    return Effect.suspend(() => dice.pick(processes).stop(patience))
  })
  // Both in one maintenance: what was being sent is cut off while the database comes back.
  sometimes(3, () => {
    const away = dice.between(5 * second, 9 * second)
    const length = dice.between(second, 5 * second)
    return Effect.andThen(
      dice.pick(processes).stop(30 * second),
      Effect.andThen(
        world.sleep(away),
        Effect.sync(() => database.awayUntil(world.now() + length))
      )
    )
  })
  sometimes(4, () => {
    const length = dice.between(10 * second, 12 * minute)
    return toMachine("frozen", (machine) => {
      world.note(machine.name, `freezes for ${length / second} s`)
      machine.freezeUntil(world.now() + length)
    })
  })
  sometimes(3, () => {
    const length = dice.between(2 * second, 4 * minute)
    return toMachine("cut off from the database", (machine) => {
      world.note(machine.name, `can't reach the database for ${length / second} s`)
      machine.cutOffUntil(world.now() + length)
    })
  })
  sometimes(3, () => {
    const length = dice.between(2 * second, dice.chance(0.85) ? 2 * minute : 10 * minute)
    return Effect.sync(() => {
      world.count("database away")
      world.note("database", `is away for ${length / second} s`)
      database.awayUntil(world.now() + length)
      database.dropListeners()
    })
  })
  sometimes(2, () =>
    toAccount("revoked", ({ accountId, platform }) =>
      Effect.sync(() => (platform === "twitter" ? x : bluesky).revoke(accountId))
    )
  )
  sometimes(1, () => {
    const length = dice.between(minute, 30 * minute)
    return toAccount("closed", ({ accountId, platform }) => {
      const server = platform === "twitter" ? x : bluesky
      server.setClosed(accountId, true)
      return Effect.andThen(
        world.sleep(length),
        Effect.sync(() => server.setClosed(accountId, false))
      )
    })
  })
  if (dice.chance(0.1)) {
    const length = dice.between(23 * hour, 30 * hour)
    agenda.add(
      busyMoment(),
      Effect.suspend(() => {
        world.count("service down for a day")
        world.note("world", `the service is down for ${length / hour} hours`)
        return Effect.forEach(processes, ({ keepDown }) => keepDown(world.now() + length), { discard: true })
      })
    )
  }
  if (dice.chance(0.04)) {
    world.count("poison post")
    world.setPoison(`Post ${dice.between(1, posts)}`)
  }
  world.setRates(drawRates(dice))
}
