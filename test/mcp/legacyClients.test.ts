import { assert, describe, it } from "@effect/vitest"
import { translateRequest } from "../../src/mcp/legacyClients.ts"

const server = { serverInfo: { name: "a", version: "1" }, instructions: "Hello" }

const request = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params })

const current = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }

/** What becomes of a message, in short. */
const outcome = (body: unknown, version?: string): string => {
  const translation = translateRequest(body, version, server)
  if (translation._tag !== "Answered") return translation._tag
  const { body: answer, status } = translation
  if (answer === undefined) return String(status)
  const error: unknown = answer["error"]
  return error === undefined ? `${status} result` : `${status} ${JSON.stringify(error)}`.slice(0, 19)
}

describe("clients of earlier revisions", () => {
  it("The header decides of which revision a message is, and without it the body does", () => {
    const listing = request("tools/list")
    const marked = request("tools/list", current)
    assert.deepStrictEqual(
      [
        outcome(listing),
        outcome(listing, "2025-06-18"),
        outcome(listing, "2026-07-28"),
        outcome(listing, "1999-01-01"),
        outcome(marked),
        outcome(marked, "2025-11-25")
      ],
      ["Translated", "Translated", "Current", '400 {"code":-32022,', "Current", "Translated"]
    )
  })

  it("What begins or keeps a session is answered at once, and notifications are taken without an answer", () => {
    assert.deepStrictEqual(
      [
        outcome(request("initialize", { protocolVersion: "2025-03-26" })),
        outcome(request("ping")),
        outcome({ jsonrpc: "2.0", method: "notifications/initialized" }),
        outcome({ jsonrpc: "2.0", id: 4, result: {} }),
        outcome([request("ping")]),
        outcome("ping"),
        outcome({}),
        outcome(request("ping", undefined, null)),
        outcome(request("tools/list", [1]))
      ],
      [
        "200 result",
        "200 result",
        "202",
        "202",
        '400 {"code":-32600,',
        '400 {"code":-32600,',
        '400 {"code":-32600,',
        '400 {"code":-32600,',
        '200 {"code":-32602,'
      ]
    )
  })

  it("A client is given the revision that it asks for, or the latest of those that begin as it does", () => {
    const versions = ["2024-11-05", "2025-11-25", "2026-07-28", 7].map((protocolVersion) => {
      const translation = translateRequest(request("initialize", { protocolVersion }), undefined, server)
      return JSON.stringify(translation).match(/"protocolVersion":"([\d-]+)"/)?.[1]
    })
    assert.deepStrictEqual(versions, ["2024-11-05", "2025-11-25", "2025-11-25", "2025-11-25"])
  })

  it("A message gets what the current revision asks for, and keeps what it has", () => {
    const body = request("tools/call", { name: "tränen", arguments: { a: 1 }, _meta: { progressToken: 3 } })
    assert.deepStrictEqual(translateRequest(body, "2025-06-18", server), {
      _tag: "Translated",
      body: {
        ...body,
        params: {
          name: "tränen",
          arguments: { a: 1 },
          _meta: {
            progressToken: 3,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
          }
        }
      },
      headers: {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": `=?base64?${Buffer.from("tränen").toString("base64")}?=`
      }
    })
  })
  it("A resource is named to the server by its address, as what a tool is called is by its name", () => {
    const reading = translateRequest(request("resources/read", { uri: "test://a", name: "b" }), "2025-11-25", server)
    assert.deepInclude(reading, {
      headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "resources/read", "mcp-name": "test://a" }
    })
  })
})
