import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { afterEach, assert, describe, it } from "vitest"
import { freePort, runProgram } from "../support/process/program.ts"

const call = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`

const answer = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, result: {} })

const ends: Array<() => unknown> = []
afterEach(async () => {
  while (ends.length > 0) await ends.pop()?.()
})

/** A service whose answers the test gives. */
const startService = async (port: number, react: (response: ServerResponse) => void) => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => react(response))
  })
  await once(server.listen(port, "127.0.0.1"), "listening")
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, "close")
    server.close()
    server.closeAllConnections()
    await closed
  }
  ends.push(stop)
  return stop
}

/** The program, with a standard input that stays open. */
const startProgram = (port: number) => {
  const env = { SOCIAL_PUBLISHER_URL: `http://127.0.0.1:${port}`, SOCIAL_PUBLISHER_KEY: "sps_a-key" }
  const program = runProgram("src/cli.ts", ["mcp"], env, null)
  ends.push(() => program.kill("SIGKILL"))
  return program
}

describe("the process of social-publisher mcp", () => {
  it("A client that closes standard input still gets the answers of its calls in flight", async () => {
    const port = await freePort()
    const inFlight = Promise.withResolvers<ServerResponse>()
    await startService(port, inFlight.resolve)
    const { ended, stdin } = startProgram(port)
    stdin.write(call(1))
    const response = await inFlight.promise
    stdin.end()
    await once(stdin, "close")
    response.end(answer(1))
    assert.deepStrictEqual(await ended, { code: 0, output: `${answer(1)}\n`, errors: "" })
  })

  it("SIGTERM ends it at once, with a call in flight and an open standard input, and leaves no part of a line", async () => {
    const port = await freePort()
    const inFlight = Promise.withResolvers<ServerResponse>()
    await startService(port, inFlight.resolve)
    const { ended, kill, stdin } = startProgram(port)
    stdin.write(call(1))
    const response = await inFlight.promise
    response.write(answer(1).slice(0, 10))
    kill("SIGTERM")
    await once(response, "close")
    assert.deepStrictEqual(await ended, { code: 130, output: "", errors: "" })
  })

  it("Calls fail while the service is away, and succeed once it is back", async () => {
    const port = await freePort()
    let id = 0
    const next = (response: ServerResponse) => response.end(answer(++id))
    const stop = await startService(port, next)
    const { ended, printed, stdin, wrote } = startProgram(port)
    stdin.write(call(1))
    await wrote(/"id":1/)
    await stop()
    stdin.write(call(7))
    await printed(/can't be reached/)
    await startService(port, next)
    stdin.end(call(2))
    const { code, output } = await ended
    assert.strictEqual(code, 0)
    const lines = output.trim().split("\n")
    assert.deepStrictEqual([lines[0], lines[2]], [answer(1), answer(2)])
    assert.deepInclude(JSON.parse(lines[1] ?? ""), { id: 7 })
  })

  it("What is wrong with its environment stands on standard error alone, in one line", async () => {
    const port = await freePort()
    const own = { SOCIAL_PUBLISHER_URL: `http://127.0.0.1:${port}`, SOCIAL_PUBLISHER_KEY: "sps_a-key" }
    for (const [env, named] of [
      [{ ...own, SOCIAL_PUBLISHER_URL: "posts.example" }, "SOCIAL_PUBLISHER_URL"],
      [{ SOCIAL_PUBLISHER_URL: own.SOCIAL_PUBLISHER_URL }, "SOCIAL_PUBLISHER_KEY"],
      [{ SOCIAL_PUBLISHER_KEY: own.SOCIAL_PUBLISHER_KEY }, "SOCIAL_PUBLISHER_URL"]
    ] as const) {
      const { code, errors, output } = await runProgram("src/cli.ts", ["mcp"], env, call(1)).ended
      assert.deepStrictEqual([code, output], [1, ""])
      assert.match(errors, new RegExp(`^${named}: .*\\n$`))
      assert.notInclude(errors, "sps_a-key")
    }
  })
})
