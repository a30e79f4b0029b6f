import { describe } from "@effect/vitest"
import { testSeeds } from "./seeds.ts"

describe("Publishing, simulated with even seeds", () => {
  testSeeds(2)
})
