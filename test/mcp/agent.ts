import { Effect, Layer } from "effect"
import { mcpLayer } from "../../src/mcp/server.ts"
import type { MediaLibrary } from "../../src/media/MediaLibrary.ts"
import type { MediaStore } from "../../src/media/store/MediaStore.ts"
import { storedLibraryLayer } from "../media/mediaWorld.ts"
import { type ClientResponse, keyHeaders, send } from "../support/http/client.ts"
import { baseUrl, ServerUrl, type TestServerOptions } from "../support/http/server.ts"
import { startOnDatabase } from "../support/http/team.ts"

/** The newest revision of the protocol that the server supports. */
export const revision = "2026-07-28"

/** The agents' server, next to the service's routes. */
export const agents = mcpLayer({ baseUrl, mcpAllowedOrigins: [] })

/** An agents' server with its own database, and a library whose files are never read. */
export const agentServerLayer = (options: TestServerOptions = {}) =>
  Layer.effect(
    ServerUrl,
    Effect.gen(function* () {
      const media = Layer.succeedContext(yield* Effect.context<MediaLibrary | MediaStore>())
      return yield* startOnDatabase({ media, others: agents, rateLimitPerMinute: 100_000, ...options })
    })
  ).pipe(Layer.provideMerge(storedLibraryLayer))

type Members = Readonly<Record<string, unknown>>

/** A request in the newest revision. */
export const message = (method: string, params: Members = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params: {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": revision,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
    }
  }
})

/** The headers of such a request without credentials. */
const headersFor = (method: string, name?: unknown): Record<string, string> => ({
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": revision,
  "mcp-method": method,
  ...(typeof name === "string" && { "mcp-name": name })
})

/** The headers of such a request with a key. */
export const headersOf = (key: string, method: string, name?: unknown): Record<string, string> => ({
  ...headersFor(method, name),
  ...keyHeaders(key)
})

/** Sends a request in the newest revision. The headers include the sender's credentials. */
export const askAs = (
  url: string,
  credentials: Readonly<Record<string, string>>,
  method: string,
  params: Members = {}
): Effect.Effect<ClientResponse> =>
  send(`${url}/mcp`, {
    method: "POST",
    headers: { ...headersFor(method, params["name"]), ...credentials },
    body: JSON.stringify(message(method, params))
  })

/** Sends a request in the newest revision. */
export const ask = (url: string, key: string, method: string, params: Members = {}) =>
  askAs(url, keyHeaders(key), method, params)

/** Calls a tool. Returns its result, and whether the result is an error. */
export const callTool = Effect.fnUntraced(function* (url: string, key: string, name: string, args: unknown = {}) {
  const { body } = yield* ask(url, key, "tools/call", { name, arguments: args })
  const { result } = body
  // Tests check it member by member.
  // oxlint-disable-next-line typescript/no-explicit-any
  const data: any = result === undefined ? body.error : JSON.parse(result.content[0].text)
  return { isError: result?.isError === true, data, structured: result?.structuredContent }
})

export type ToolResult = Effect.Success<ReturnType<typeof callTool>>
