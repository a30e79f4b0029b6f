import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "vitest"
import { freePort, root } from "../support/process/program.ts"

describe("surviveClosedOutput", () => {
  it("The service goes on where what reads its log has gone, and still ends when it is told to", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "closed-output-"))
    const port = await freePort()
    const env = { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], DEMO_EXAMPLES: "off" }
    const child = spawn(process.execPath, [path.join(root, "src/main.ts")], {
      env: { ...env, PORT: String(port), DATA_DIR: directory },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const ended = once(child, "exit")
    child.stdout.destroy()
    await new Promise<void>((resolve) => {
      child.stderr.on("data", (text: Buffer) => {
        if (text.toString().includes("Listening")) resolve()
      })
    })
    for (let request = 0; request < 3; request++) {
      assert.strictEqual((await fetch(`http://127.0.0.1:${port}/v1/posts`)).status, 401)
    }
    child.kill("SIGTERM")
    assert.deepStrictEqual(await ended, [0, null])
    await rm(directory, { recursive: true })
  })
})
