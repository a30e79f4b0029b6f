import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createServer } from "node:http"
import { mcpLayer } from "../../src/mcp/server.ts"
import { headersOf, message } from "../mcp/agent.ts"
import { baseUrl, ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { freePort } from "../support/process/program.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"

/**
 * The port of a server with an empty page. The page has two origins: 127.0.0.1 is allowed to use the agents' endpoint,
 * and localhost is not.
 */
class ClientPort extends Context.Service<ClientPort, number>()("test/ClientPort") {}

const clientLayer = Layer.effect(
  ClientPort,
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((_, response) =>
          response.setHeader("content-type", "text/html").end("<title>Client</title>")
        )
        await new Promise<void>((resolve) => void server.listen(port, resolve))
        return server
      }),
      (server) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              server.close(() => resolve())
              server.closeAllConnections()
            })
        )
    )
    return port
  })
)

const serverLayer = Layer.unwrap(
  Effect.map(ClientPort, (port) =>
    databaseServerLayer({ others: mcpLayer({ baseUrl, mcpAllowedOrigins: [`http://127.0.0.1:${port}`] }) })
  )
)

/** The response to a page that requests the list of tools. */
const listFrom = Effect.fnUntraced(function* (origin: string, key: string) {
  const page = yield* (yield* Browser).page()
  const request = {
    url: `${yield* ServerUrl}/mcp`,
    headers: headersOf(key, "tools/list"),
    body: JSON.stringify(message("tools/list"))
  }
  return yield* Effect.promise(async () => {
    await page.goto(origin)
    return page.evaluate(async ({ body, headers, url }) => {
      try {
        const response = await fetch(url, { method: "POST", headers, body })
        const text = await response.text()
        return { status: response.status, isList: text.includes('"tools":['), left: response.headers.get("ratelimit") }
      } catch (error) {
        return String(error)
      }
    }, request)
  })
})

describe.skipIf(!canRunBrowser)("Agents in pages, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Layer.provideMerge(serverLayer, clientLayer)))((it) => {
    it.effect(
      "A page of an origin that the operator names reads answers and refusals, and one of another gets neither",
      () =>
        Effect.gen(function* () {
          const port = yield* ClientPort
          const { key } = yield* makeTeam
          assert.deepStrictEqual(yield* listFrom(`http://127.0.0.1:${port}`, key), {
            status: 200,
            isList: true,
            left: '"workspace";r=299;t=60'
          })
          assert.deepInclude(yield* listFrom(`http://127.0.0.1:${port}`, "sps_wrong"), { status: 401 })
          assert.strictEqual(yield* listFrom(`http://localhost:${port}`, key), "TypeError: Failed to fetch")
        })
    )
  })
})
