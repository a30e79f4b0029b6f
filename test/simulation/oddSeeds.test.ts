import { describe } from "@effect/vitest"
import { testSeeds } from "./seeds.ts"

describe("Publishing, simulated with odd seeds", () => {
  testSeeds(1)
})
