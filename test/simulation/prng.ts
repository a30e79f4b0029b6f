import { type Array as Arr, Effect, Random } from "effect"

/** The seeded generator behind everything random in a simulation. */
export interface Prng {
  readonly chance: (probability: number) => boolean
  /** Inclusive. */
  readonly between: (min: number, max: number) => number
  readonly pick: <A>(items: Arr.NonEmptyReadonlyArray<A>) => A
}

/** Draws from the current Random. */
export const makePrng: Effect.Effect<Prng> = Effect.map(Effect.service(Random.Random), (random) => {
  const between = (min: number, max: number) => min + Math.floor(random.nextDoubleUnsafe() * (max - min + 1))
  return {
    between,
    chance: (probability) => probability > 0 && random.nextDoubleUnsafe() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0]
  }
})
