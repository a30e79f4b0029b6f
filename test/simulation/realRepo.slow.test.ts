import { layer } from "@effect/vitest"
import { simulatedClockLayer } from "./realRepo/databaseClock.ts"
import { assertSame } from "./realRepo/sequence.ts"

const length = 100
const seeds = Array.from({ length: 16 }, (_, index) => index + 1)

layer(simulatedClockLayer, { excludeTestServices: true })("The in-memory Repo of the simulation", (it) => {
  it.effect.each(seeds)(
    "Every step of random sequence %i does the same as in PostgreSQL",
    (seed) => assertSame(seed, length)
    // A difference is reproduced many times with ever shorter sequences.
  )
})
