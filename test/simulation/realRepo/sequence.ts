import { isDeepStrictEqual } from "node:util"
import { assert } from "@effect/vitest"
import { Clock, Effect, Random } from "effect"
import { makeIds } from "../ids.ts"
import { makePrng, type Prng } from "../prng.ts"
import { makeProcess } from "../process.ts"
import { makeVirtualClock } from "../virtualClock.ts"
import { makeWorld, minute, second, startTime } from "../world.ts"
import { setDatabaseClock } from "./databaseClock.ts"
import { drawFlow } from "./flows.ts"
import type { Operation } from "./operation.ts"
import { makeMemoryStore } from "./memoryStore.ts"
import { makeRealStore } from "./realStore.ts"
import { keepAwake, type Store } from "./stores.ts"

/** One operation of a sequence: its delay after the previous one, and its process. */
interface Step extends Operation {
  readonly after: number
  readonly by: 0 | 1
}

interface Sequence {
  /** The time by which each process's clock is ahead of the database's, in milliseconds. */
  readonly skews: readonly [number, number]
  readonly steps: ReadonlyArray<Step>
}

/** The first difference between the stores. */
interface Difference {
  readonly step: number
  readonly real: unknown
  readonly memory: unknown
}

const drawTime = (prng: Prng): number => {
  if (prng.chance(0.6)) return prng.between(1, 50)
  if (prng.chance(0.7)) return prng.between(1, 20) * second + prng.between(0, 999)
  return prng.chance(0.97) ? prng.between(1, 15) * minute + prng.between(0, 999) : prng.between(20, 26) * 60 * minute
}

const drawSequence = (seed: number, length: number) =>
  Effect.map(makePrng, (prng): Sequence => {
    const skew = () => (prng.chance(0.5) ? 0 : prng.between(-20, 20) * second)
    return {
      skews: [skew(), skew()],
      steps: Array.from({ length }, () =>
        drawFlow(prng).map((each, index): Step => ({
          after: index === 0 ? drawTime(prng) : prng.between(1, 1000),
          by: prng.chance(0.5) ? 0 : 1,
          ...each
        }))
      ).flat()
    }
  }).pipe(Random.withSeed(seed))

/** The visible result of a step: its result or error, its wake-ups, and everything that is stored afterward. */
const observe = Effect.fnUntraced(function* (store: Store, { by, run }: Step) {
  const result = yield* Effect.match(run(store, by), {
    onFailure: (error) => ({ error: error._tag, message: "message" in error ? error.message : null }),
    onSuccess: (value) => ({ value })
  }).pipe(Effect.provideService(Clock.Clock, store.replicas[by].clock))
  // The rows come first: their stored order determines the names of ids, and results have no order.
  const rows = store.ordinals.named(yield* store.rows)
  return { rows, result: store.ordinals.named(result), woken: yield* store.woken }
})

/** Runs a sequence on two stores, until they differ. */
const compare = Effect.fnUntraced(function* ({ skews, steps }: Sequence) {
  const clock = makeVirtualClock(startTime)
  yield* setDatabaseClock(startTime)
  const world = yield* Effect.provideService(makeWorld(0), Clock.Clock, clock)
  const processes = [makeProcess(world, "a", skews[0], false), makeProcess(world, "b", skews[1], false)] as const
  const ids = yield* makeIds
  const premises = { world, processes, ids, files: [ids.file(), ids.file()] }
  const real = yield* makeRealStore(premises)
  const memory = yield* makeMemoryStore(premises)
  yield* keepAwake(real)
  yield* keepAwake(memory)
  for (const [index, step] of steps.entries()) {
    yield* clock.advanceTo(world.now() + step.after)
    yield* setDatabaseClock(world.now())
    const ofReal = yield* observe(real, step)
    const ofMemory = yield* observe(memory, step)
    if (!isDeepStrictEqual(ofReal, ofMemory))
      return { step: index, real: ofReal, memory: ofMemory } satisfies Difference
  }
  return undefined
}, Effect.scoped)

/** The number of shorter sequences that are tried to explain a difference. */
const maxTries = 150

/** Omits steps. The following steps keep their times. */
const without = (steps: ReadonlyArray<Step>, from: number, size: number): ReadonlyArray<Step> => {
  const gap = steps.slice(from, from + size).reduce((sum, { after }) => sum + after, 0)
  const [next, ...rest] = steps.slice(from + size)
  return [...steps.slice(0, from), ...(next === undefined ? [] : [{ ...next, after: next.after + gap }, ...rest])]
}

/** Omits the steps that the difference does not need: first halves of the sequence, and finally single steps. */
const shrink = Effect.fnUntraced(function* (sequence: Sequence, difference: Difference) {
  let found = difference
  let steps = sequence.steps.slice(0, difference.step + 1)
  let tries = 0
  for (
    let size = Math.ceil(steps.length / 2);
    size >= 1 && tries < maxTries;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < steps.length && tries < maxTries;) {
      const shorter = without(steps, from, size)
      tries += 1
      const next = yield* compare({ ...sequence, steps: shorter })
      if (next === undefined) from += size
      else {
        found = next
        steps = shorter.slice(0, next.step + 1)
      }
    }
  }
  return { steps, difference: found }
})

/** Fails with the steps to the first difference between the stores. */
export const assertSame = (seed: number, length: number) =>
  Effect.gen(function* () {
    const sequence = yield* drawSequence(seed, length)
    const first = yield* compare(sequence)
    if (first === undefined) return
    const { difference, steps } = yield* shrink(sequence, first)
    const lines = steps.map(({ after, by, name }) => `after ${after} ms, process ${by}: ${name}`)
    const [one, other] = sequence.skews
    const title = `Seed ${seed} differs. The clocks of the processes are ${one} and ${other} ms ahead.`
    assert.deepStrictEqual(difference.memory, difference.real, [title, ...lines].join("\n"))
  })
