import { assert, layer } from "@effect/vitest"
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { agents } from "./agent.ts"

const info = { name: "test", version: "1" }

/** The part of an official client that the tests use, whichever its version. */
interface AnyClient {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<{ readonly name: string }> }>
  readonly callTool: (call: {
    readonly name: string
    readonly arguments: Record<string, unknown>
  }) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => Promise<void>
}

const connections: Readonly<Record<string, (url: URL, headers: Record<string, string>) => Promise<AnyClient>>> = {
  "the client as it comes": async (url, headers) => {
    const client = new ModernClient(info)
    await client.connect(new ModernTransport(url, { requestInit: { headers } }))
    return client
  },
  "the client that negotiates": async (url, headers) => {
    const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new ModernTransport(url, { requestInit: { headers } }))
    return client
  },
  "the SDK before": async (url, headers) => {
    const client = new Client(info)
    // The types of its transport are not made for exact optional members.
    const transport: unknown = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    return client
  }
}

layer(databaseServerLayer({ others: agents, rateLimitPerMinute: 100_000 }))("official clients", (it) => {
  for (const [name, connect] of Object.entries(connections)) {
    it.effect(`With ${name} an agent lists tools, calls them, and reads what failed`, () =>
      Effect.gen(function* () {
        const url = new URL(`${yield* ServerUrl}/mcp`)
        const { key } = yield* makeTeam
        yield* Effect.promise(async () => {
          const client = await connect(url, { authorization: `Bearer ${key}` })
          const { tools } = await client.listTools()
          assert.strictEqual(tools.length, 13)
          const created = await client.callTool({
            name: "create_post",
            arguments: { content: "Hello", platforms: ["bluesky"] }
          })
          assert.notStrictEqual(created["isError"], true)
          assert.include(JSON.stringify(created["structuredContent"]), '"next":"draft"')
          const failed = await client.callTool({ name: "create_post", arguments: { text: "Hello" } })
          assert.isTrue(failed["isError"])
          assert.include(JSON.stringify(failed["content"]), "invalid_request")
          await client.close()
        })
      })
    )
  }
})
