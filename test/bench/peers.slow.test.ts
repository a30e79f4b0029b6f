import { assert, describe, it } from "vitest"
import { compileFolder } from "../support/process/installPackages.ts"

describe("the peers of the benchmarks", () => {
  it("The peers compile with the packages of their own lock file", async () => {
    assert.deepInclude(await compileFolder("test/bench/peers"), { stdout: "" })
  })
})
