import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

it("Every module whose waits the campaigns shorten exists", () => {
  const hooks = new URL("../chaos/support/shorterWaits.ts", import.meta.url).href
  const printed = execFileSync(process.execPath, ["--import", hooks, "--print", "'ready'"], { encoding: "utf8" })
  assert.strictEqual(printed, "ready\n")
})
