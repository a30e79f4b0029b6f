import type { Array as Arr } from "effect"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { drivenPlatforms } from "../support/platforms/drivenPlatforms.ts"
import type { Environment } from "./replica.ts"
import type { Users } from "./users.ts"
import { hour, minute, second, startTime } from "./world.ts"

const usual: Arr.NonEmptyReadonlyArray<ReadonlyArray<LivePlatform>> = [
  ["twitter"],
  ["bluesky"],
  ["twitter", "bluesky"],
  ["bluesky", "twitter"]
]

/** Most of these posts are for the platforms that an operator enables. */
const all: Arr.NonEmptyReadonlyArray<ReadonlyArray<LivePlatform>> = [
  ["threads"],
  ["linkedin"],
  ["threads", "bluesky"],
  ["linkedin", "threads"],
  ["instagram"],
  ["facebook"],
  ["youtube"],
  ["tiktok"],
  ["instagram", "facebook"],
  ["facebook", "threads", "twitter"],
  drivenPlatforms
]

/** The posts that users will create. */
export interface Workload {
  readonly posts: number
  readonly dueTimes: Arr.NonEmptyReadonlyArray<number>
  /** The beginning of the last burst of requests. */
  readonly lastBurst: number
}

/** Users send requests in bursts, so that posts contend with each other, with idle hours in between. */
export const planWorkload = (
  { events, faultFree, platforms, world }: Environment,
  users: Users,
  workspaces: Arr.NonEmptyReadonlyArray<WorkspaceId>,
  hasThreads: boolean
): Workload => {
  const { prng } = world
  const choices = platforms.includes("threads") ? all : usual
  const bursts = Array.from(
    { length: prng.between(1, 3) },
    () => startTime + prng.between(minute, prng.pick([2, 20, 50]) * hour)
  )
  const lastBurst = Math.max(...bursts)
  const dueTimes: [number, ...Array<number>] = [lastBurst]
  let posts = 0
  // A simulation without faults would treat the rejection of a duplicate as a fault.
  const hasSharedTexts = !faultFree && prng.chance(0.3)

  const hasMedia = prng.chance(0.5)

  const hasOtherAccounts = !faultFree && prng.chance(0.2)

  const drawDelay = () => {
    if (prng.chance(0.15)) return null
    if (prng.chance(0.2)) return prng.between(0, 3) * minute
    return prng.between(0, prng.chance(0.8) ? 15 * minute : 8 * hour)
  }
  const drawFiles = () => (hasMedia && prng.chance(0.5) ? prng.between(1, 2) : 0)
  /** The number of parts that follow a post as its thread. */
  const drawFollowers = () => (hasThreads && world.threads.chance(0.4) ? world.threads.between(1, 5) : 0)
  const drawTimeAround = (due: number) =>
    prng.chance(0.6) ? due + prng.between(-3 * second, 20 * second) : due + prng.between(-10 * minute, 40 * minute)

  for (const burst of bursts) {
    for (let count = prng.between(2, 7); count > 0; count--) {
      const at = burst + prng.between(0, 10 * minute)
      const delay = drawDelay()
      const due = at + (delay ?? 5 * minute)
      const index = posts++
      const isShared = hasSharedTexts && prng.chance(0.7)
      const workspace = prng.pick(workspaces)
      events.schedule(at, users.create(workspace, prng.pick(choices), delay, isShared, drawFiles(), drawFollowers()))
      dueTimes.push(due)
      if (isShared && prng.chance(0.5)) {
        posts++
        events.schedule(at + prng.between(0, 2 * second), users.create(workspace, prng.pick(choices), delay, true))
      }
      for (let times = prng.between(0, 3); times > 0; times--) {
        events.schedule(Math.max(drawTimeAround(due), at + second), users.change(index))
      }
    }
    if (world.isCrowded()) {
      // All posts are due at the same moment, so that outcomes arrive together.
      const due = burst + 12 * minute
      dueTimes.push(due)
      for (const workspace of workspaces) {
        posts++
        const at = burst + prng.between(0, 10 * minute)
        events.schedule(at, users.create(workspace, prng.pick(choices), due - at, false, 0, drawFollowers()))
      }
    }
    if (hasThreads && world.threads.chance(0.5)) {
      // A thread among so many posts of its account that its next part would wait for a long time behind them.
      const at = burst + world.threads.between(0, 10 * minute)
      const due = at + world.threads.between(0, 2 * minute)
      const workspace = world.threads.pick(workspaces)
      const on = world.threads.pick(choices)
      dueTimes.push(due)
      for (let count = world.threads.between(8, 16), begins = 0; begins < count; begins++) {
        posts++
        const followers = begins === 0 ? world.threads.between(1, 5) : 0
        events.schedule(at, users.create(workspace, on, due - at, false, 0, followers))
      }
    }
    for (let times = hasOtherAccounts ? prng.between(1, 3) : 0; times > 0; times--) {
      events.schedule(burst + prng.between(0, 15 * minute), users.connectAnother)
    }
    events.schedule(burst + prng.between(20 * minute, 60 * minute), users.review)
    events.schedule(burst + prng.between(1, 5) * hour, users.review)
  }
  return { posts, dueTimes, lastBurst }
}
