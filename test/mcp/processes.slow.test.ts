import { mkdtemp, rm } from "node:fs/promises"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort, runProgram } from "../support/process/program.ts"
import { headersOf, message } from "./agent.ts"

// Starts early: it sends thousands of handshakes to a process.

type Service = ReturnType<typeof runProgram>

let directory = ""
let key = ""
let port = 0
let service: Service

const envOn = (own: number) => ({
  PORT: String(own),
  DATA_DIR: directory,
  RATE_LIMIT_PER_MINUTE: "1000000",
  // Garbage is collected before there is much of it.
  NODE_OPTIONS: "--max-old-space-size=200",
  BASE_URL: `http://127.0.0.1:${own}`
})

const start = async (own: number) => {
  const started = runProgram("src/main.ts", [], envOn(own))
  await started.printed(/Listening/)
  return started
}

const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

const createCall = (content: string) => ({
  name: "create_post",
  arguments: { content, platforms: ["bluesky"], schedule_at: tomorrow }
})

const callOn = async (own: number, call: { readonly name: string; readonly arguments: object }) => {
  const response = await fetch(`http://127.0.0.1:${own}/mcp`, {
    method: "POST",
    headers: headersOf(key, "tools/call", call.name),
    body: JSON.stringify(message("tools/call", call))
  })
  const body: { readonly result: { readonly structuredContent: Record<string, unknown> } } = JSON.parse(
    await response.text()
  )
  return body.result
}

const countPosts = async (content: string) => {
  const response = await fetch(`http://127.0.0.1:${port}/v1/posts?limit=1000`, {
    headers: { authorization: `Bearer ${key}` }
  })
  const { data }: { readonly data: ReadonlyArray<{ readonly content: string }> } = JSON.parse(await response.text())
  return data.filter((post) => post.content === content).length
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "agents-"))
  port = await freePort()
  service = runProgram("src/main.ts", [], envOn(port))
  key = (await service.printed(/API key {5}(\S+)/))[1] ?? ""
})

afterAll(async () => {
  service.kill("SIGTERM")
  await service.ended
  await rm(directory, { recursive: true, force: true })
})

/** Passes on what clients send. The first byte of a response kills the service, so that nobody gets it. */
const killOnAnswer = async () => {
  const open = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port })
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on("error", () => undefined).on("close", () => open.delete(socket))
    }
    near.on("data", (chunk) => far.write(chunk))
    far.on("data", () => {
      service.kill("SIGKILL")
      near.destroy()
    })
    far.on("close", () => near.destroy())
  })
  const own = await freePort()
  await new Promise<void>((resolve) => void proxy.listen(own, "127.0.0.1", resolve))
  return {
    own,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy()
        proxy.close(() => resolve())
      })
  }
}

describe("agents and the processes of the service", () => {
  it("A call whose answer was lost as the process was killed is answered by the next one, and makes one post", async () => {
    const call = createCall("Answered too late")
    const proxy = await killOnAnswer()
    const lost = await callOn(proxy.own, call).catch((error: unknown) => error)
    assert.instanceOf(lost, TypeError)
    await service.ended
    await proxy.close()
    service = await start(port)
    assert.isTrue((await callOn(port, call)).structuredContent["replayed"])
    assert.strictEqual(await countPosts("Answered too late"), 1)
  })

  it("Another replica answers an equal call as the first one did", async () => {
    const other = await freePort()
    const replica = await start(other)
    const call = createCall("On two replicas")
    const [first, second] = [await callOn(port, call), await callOn(other, call)]
    assert.strictEqual(second.structuredContent["id"], first.structuredContent["id"])
    assert.deepStrictEqual([first.structuredContent["replayed"], second.structuredContent["replayed"]], [false, true])
    const together = createCall("On both at once")
    await Promise.all([callOn(port, together), callOn(other, together)])
    assert.strictEqual(await countPosts("On both at once"), 1)
    replica.kill("SIGTERM")
    await replica.ended
  })

  it("Thousands of handshakes leave nothing in memory", async () => {
    const initialize = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    })
    const { authorization = "", accept = "" } = headersOf(key, "initialize")
    const headers = { authorization, accept, "content-type": "application/json" }
    const shake = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body: initialize })
      assert.strictEqual(response.status, 200)
      assert.isNull(response.headers.get("mcp-session-id"))
      await response.arrayBuffer()
    }
    const heapUsed = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return Number(/^nodejs_heap_used_bytes (\S+)$/m.exec(metrics)?.[1]) / 1e6
    }
    /** The least that was in use while 2,500 were answered: garbage is collected now and then. */
    const leastInUse = async () => {
      let least = Infinity
      for (let sent = 0; sent < 2_500; sent += 50) {
        await Promise.all(Array.from({ length: 50 }, shake))
        least = Math.min(least, await heapUsed())
      }
      return least
    }
    const before = await leastInUse()
    await leastInUse()
    const after = await leastInUse()
    // A session of each would take some 20 kB, so 100 MB of those since then.
    assert.isBelow(after - before, 50)
  })

  it("A client of standard input and output calls tools of both eras, and is told why a call came to nothing", async () => {
    const lines = [
      { jsonrpc: "2.0", id: "a", method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {} } },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 0, method: "tools/list" },
      { ...message("tools/call", createCall("By standard input")), id: 2 },
      { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "get_workspace", arguments: {} } }
    ].map((line) => JSON.stringify(line))
    const env = { SOCIAL_PUBLISHER_URL: `http://127.0.0.1:${port}`, SOCIAL_PUBLISHER_KEY: key }
    const { code, errors, output } = await runProgram("src/cli.ts", ["mcp"], env, [...lines, "{", ""].join("\n")).ended
    assert.deepStrictEqual([code, errors], [0, ""])
    const answers = new Map(
      output
        .trim()
        .split("\n")
        .map((line): readonly [unknown, Record<string, unknown>] => {
          const answer: Record<string, unknown> = JSON.parse(line)
          return [answer["id"], answer]
        })
    )
    assert.sameMembers([...answers.keys()], ["a", 0, 2, 3, null])
    assert.deepInclude(answers.get(null), { error: { code: -32_700, message: "The line is not valid JSON" } })
    for (const id of ["a", 0, 2, 3]) assert.property(answers.get(id), "result")
    assert.strictEqual(await countPosts("By standard input"), 1)
  })

  it("A client of standard input and output with a wrong key, or without a service, gets errors that show no key", async () => {
    const line = JSON.stringify({ jsonrpc: "2.0", id: 5, method: "tools/list" })
    const wrong = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`
    for (const [url, secret, expected] of [
      [`http://127.0.0.1:${port}`, wrong, /API key/],
      [`http://127.0.0.1:${await freePort()}`, key, /can't be reached/]
    ] as const) {
      const env = { SOCIAL_PUBLISHER_URL: url, SOCIAL_PUBLISHER_KEY: secret }
      const { errors, output } = await runProgram("src/cli.ts", ["mcp"], env, `${line}\n`).ended
      const answer: { readonly id: number; readonly error: { readonly message: string } } = JSON.parse(output)
      assert.strictEqual(answer.id, 5)
      assert.match(answer.error.message, expected)
      assert.notInclude(output + errors, secret)
    }
  })
})
