import { describe } from "@effect/vitest"
import { testSeeds } from "./seeds.ts"

describe("The simulation with even seeds", () => {
  testSeeds(2)
})
