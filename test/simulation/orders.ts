import type { Array as Arr } from "effect"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import type { Operators } from "./operators.ts"
import type { Surroundings } from "./service.ts"
import { startOfTime } from "./world.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

const platforms: Arr.NonEmptyReadonlyArray<ReadonlyArray<LivePlatform>> = [
  ["twitter"],
  ["bluesky"],
  ["twitter", "bluesky"],
  ["bluesky", "twitter"]
]

/** What people are going to order. */
export interface Orders {
  readonly posts: number
  /** When posts fall due. */
  readonly moments: Arr.NonEmptyReadonlyArray<number>
  /** When the last burst of orders begins. */
  readonly last: number
}

/** Draws what people order into the agenda: in bursts, so that it meets, with quiet hours between them. */
export const planOrders = (
  { agenda, world: { dice } }: Surroundings,
  operators: Operators,
  teams: Arr.NonEmptyReadonlyArray<WorkspaceId>
): Orders => {
  const bursts = Array.from(
    { length: dice.between(1, 3) },
    () => startOfTime + dice.between(minute, dice.pick([2, 20, 50]) * hour)
  )
  const last = Math.max(...bursts)
  const moments: [number, ...Array<number>] = [last]
  let posts = 0

  const wait = () => {
    if (dice.chance(0.15)) return null
    if (dice.chance(0.2)) return dice.between(0, 3) * minute
    return dice.between(0, dice.chance(0.8) ? 15 * minute : 8 * hour)
  }
  const around = (due: number) =>
    dice.chance(0.6) ? due + dice.between(-3 * second, 20 * second) : due + dice.between(-10 * minute, 40 * minute)

  for (const burst of bursts) {
    for (let count = dice.between(2, 7); count > 0; count--) {
      const at = burst + dice.between(0, 10 * minute)
      const ahead = wait()
      const due = at + (ahead ?? 5 * minute)
      const index = posts++
      agenda.add(at, operators.create(dice.pick(teams), dice.pick(platforms), ahead))
      moments.push(due)
      for (let times = dice.between(0, 3); times > 0; times--) {
        agenda.add(Math.max(around(due), at + second), operators.meddle(index))
      }
    }
    agenda.add(burst + dice.between(20 * minute, 60 * minute), operators.review)
    agenda.add(burst + dice.between(1, 5) * hour, operators.review)
  }
  return { posts, moments, last }
}
