import { layer } from "@effect/vitest"
import { simulatedClockLayer } from "./realRepo/databaseClock.ts"
import { assertSame } from "./realRepo/sequence.ts"

// realRepo.slow.test.ts draws more and longer sequences.
layer(simulatedClockLayer, { excludeTestServices: true })("The in-memory Repo of the simulation", (it) => {
  it.effect.each([101, 102, 103])(
    "Every step of short random sequence %i does the same as in PostgreSQL",
    (seed) => assertSame(seed, 40)
    // A difference is reproduced many times with ever shorter sequences.
  )
})
