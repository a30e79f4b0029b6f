import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Tests that fail in every way that a run can. */
const files = {
  "test/globalSetup.ts": "export default () => undefined",
  "test/fine.test.ts": `import { it } from "vitest"
it("A sum is right", () => undefined)`,
  "test/wrong.test.ts": `import { assert, describe, it } from "vitest"
describe("A sum", () => {
  it("It is wrong", () => assert.strictEqual(1 + 1, 3))
  it("It is right", () => undefined)
  describe("of more", () => it.each([1, 2])("It is %s", (sum) => assert.strictEqual(sum, 1)))
})`,
  "test/thrown.test.ts": `import { it } from "vitest"
it("It throws what is no error", () => { throw { reason: "none" } })`,
  "test/unloaded.test.ts": `throw new Error("It can't be loaded\\nfor a reason")`,
  "test/hook.test.ts": `import { beforeAll, describe, it } from "vitest"
describe("A hook", () => {
  beforeAll(() => { throw new Error("It has failed") })
  it("It is not run", () => undefined)
})`,
  "test/unhandled.test.ts": `import { it } from "vitest"
it("It leaves a promise behind", async () => {
  void Promise.reject(new Error("Nobody waits for this"))
  await new Promise((resolve) => setTimeout(resolve, 20))
})`,
  "test/mcp/policed.test.ts": `import { assert, inject, it } from "vitest"
it("It is wrong under databaseServerLayer's policies", () => assert.isFalse(inject("tenancyPoliced")))`,
  "test/late.slow.test.ts": `import { assert, it } from "vitest"
it("It is slow and wrong", () => assert.fail("Too slow"))`
}

/** The program that runs tests, with its configuration and tests of its own. */
let copy = ""

beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), "failing tests "))
  for (const each of [".bin/test.mjs", "package.json", "tsconfig.json", "test/vitest.config.ts", "test/failedTests.ts"])
    await cp(path.join(root, each), path.join(copy, each))
  for (const folder of ["test/support/process", "test/mcp"]) await mkdir(path.join(copy, folder), { recursive: true })
  await cp(path.join(root, "test/support/process/program.ts"), path.join(copy, "test/support/process/program.ts"))
  await symlink(path.join(root, "node_modules"), path.join(copy, "node_modules"))
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(copy, name), `${text}\n`)
})

afterAll(() => rm(copy, { recursive: true, force: true }))

/** The exit code of a run, and its last lines, from the last empty one on. */
const run = (args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly last: ReadonlyArray<string>; readonly output: string }>((resolve) => {
    const env = { ...process.env, NO_COLOR: "1" }
    execFile(process.execPath, [path.join(copy, ".bin/test.mjs"), ...args], { env }, (error, output) => {
      const last = output.trim().split(/\n\n+/).at(-1)?.split("\n") ?? []
      resolve({ code: error?.code ?? 0, last, output })
    })
  })

describe("npm test", () => {
  it("A run ends with the names of all that failed, and fails", async () => {
    const { code, last } = await run([])
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(last, [
      "What failed:",
      "test/hook.test.ts > A hook: It has failed",
      "test/mcp/policed.test.ts (--project policed) > It is wrong under databaseServerLayer's policies: expected true to be false",
      "test/thrown.test.ts > It throws what is no error: a value that is not an error",
      "test/unhandled.test.ts: Nobody waits for this",
      "test/unloaded.test.ts: It can't be loaded",
      "test/wrong.test.ts > A sum > It is wrong: expected 2 to equal 3",
      "test/wrong.test.ts > A sum > of more > It is 2: expected 2 to equal 1"
    ])
  })

  it("So does a run of the slow tests, with other reporters too", async () => {
    const report = path.join(copy, "report.json")
    const { code, last, output } = await run([
      "--project",
      "slow",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`
    ])
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(last, ["What failed:", "test/late.slow.test.ts > It is slow and wrong: Too slow"])
    assert.include(output, "JSON report written")
  })

  it("A run without a failure names nothing at its end, and passes", async () => {
    const { code, output } = await run(["test/fine.test.ts"])
    assert.strictEqual(code, 0)
    assert.notInclude(output, "What failed")
    assert.include(output, "1 passed")
  })
})
