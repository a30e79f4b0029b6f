import { Effect } from "effect"
import { mcpLayer } from "../../src/mcp/server.ts"
import { type ClientResponse, send } from "../support/http/client.ts"
import { baseUrl } from "../support/http/server.ts"

/** The revision that the server itself speaks. */
export const revision = "2026-07-28"

/** The server of agents, beside the routes of the service. */
export const agents = mcpLayer({ baseUrl, mcpAllowedOrigins: [] })

type Members = Readonly<Record<string, unknown>>

/** A request of the newest revision. */
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

/** The headers of such a request. */
export const headersOf = (key: string, method: string, name?: unknown): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  "mcp-protocol-version": revision,
  "mcp-method": method,
  ...(typeof name === "string" && { "mcp-name": name })
})

/** Sends a request of the newest revision. */
export const ask = (url: string, key: string, method: string, params: Members = {}): Effect.Effect<ClientResponse> =>
  send(`${url}/mcp`, {
    method: "POST",
    headers: headersOf(key, method, params["name"]),
    body: JSON.stringify(message(method, params))
  })

/** Calls a tool, and returns what it says, and whether that is an error. */
export const callTool = Effect.fnUntraced(function* (url: string, key: string, name: string, args: unknown = {}) {
  const { body } = yield* ask(url, key, "tools/call", { name, arguments: args })
  const { result } = body
  // Tests check it member by member.
  // oxlint-disable-next-line typescript/no-explicit-any
  const data: any = result === undefined ? body.error : JSON.parse(result.content[0].text)
  return { isError: result?.isError === true, data, structured: result?.structuredContent }
})

export type ToolResult = Effect.Success<ReturnType<typeof callTool>>

/** The names of the tools that a key sees. */
export const toolNames = (url: string, key: string) =>
  Effect.map(ask(url, key, "tools/list"), ({ body }): ReadonlyArray<string> =>
    body.result.tools.map(({ name }: { readonly name: string }) => name)
  )
