import { describe } from "@effect/vitest"
import { testSeeds } from "./seeds.ts"

describe("The simulation with odd seeds", () => {
  testSeeds(1)
})
