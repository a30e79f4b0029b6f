import { type Array as Arr, Effect, Random } from "effect"

/** Everything that is left to chance in a simulation, so that its seed decides it. */
export interface Dice {
  readonly chance: (probability: number) => boolean
  /** A whole number from `min` to `max`, both included. */
  readonly between: (min: number, max: number) => number
  readonly pick: <A>(items: Arr.NonEmptyReadonlyArray<A>) => A
}

/** Dice that fall as the current Random does. */
export const makeDice: Effect.Effect<Dice> = Effect.map(Effect.service(Random.Random), (random) => {
  const between = (min: number, max: number) => min + Math.floor(random.nextDoubleUnsafe() * (max - min + 1))
  return {
    between,
    chance: (probability) => probability > 0 && random.nextDoubleUnsafe() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0]
  }
})
