import { execFile } from "node:child_process"
import path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { installPackages } from "../support/process/installPackages.ts"
import { root } from "../support/process/program.ts"

const peers = "test/bench/peers"

describe("the peers of the benchmarks", () => {
  it("The peers compile with the packages of their own lock file", async () => {
    await installPackages(peers)
    const compiler = path.join(root, "node_modules/typescript/bin/tsc")
    const compiled = await promisify(execFile)(process.execPath, [compiler, "-p", path.join(root, peers)]).catch(
      (error: unknown) => error
    )
    assert.deepInclude(compiled, { stdout: "" })
  })
})
