import { type Array as Arr, Effect, Random } from "effect"

/** The seeded pseudo-random number generator behind everything that a simulation leaves to chance. */
export interface Prng {
  readonly chance: (probability: number) => boolean
  /** An integer from `min` to `max`, inclusive. */
  readonly between: (min: number, max: number) => number
  readonly pick: <A>(items: Arr.NonEmptyReadonlyArray<A>) => A
}

/** A generator that draws from the current Random. */
export const makePrng: Effect.Effect<Prng> = Effect.map(Effect.service(Random.Random), (random) => {
  const between = (min: number, max: number) => min + Math.floor(random.nextDoubleUnsafe() * (max - min + 1))
  return {
    between,
    chance: (probability) => probability > 0 && random.nextDoubleUnsafe() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0]
  }
})
