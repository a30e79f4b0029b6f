// Calls the tools of a running service through eight agents' clients: node test/clients/agents.mjs ADDRESS KEY
//
// Each connects, lists the tools, creates, reads and changes a draft, gets an error of a tool and is refused with a
// wrong key. The key needs the scopes of an agent. Installs the clients in a temporary folder; not part of the tests.
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)

const versions = {
  "@ai-sdk/mcp": "2.0.99",
  "@langchain/core": "1.4.0",
  "@langchain/mcp-adapters": "1.1.4",
  "@mastra/core": "1.71.0",
  "@mastra/mcp": "2.0.0",
  "@modelcontextprotocol/client": "2.4.0",
  "@modelcontextprotocol/sdk": "1.32.2",
  "@openai/agents": "0.20.0",
  "mcp-remote": "0.15.1",
  mcporter: "0.12.3",
  zod: "4.6.7"
}

const [address, key] = process.argv.slice(2)
if (address === undefined || key === undefined) {
  console.error("Usage: node test/clients/agents.mjs ADDRESS KEY, such as http://127.0.0.1:3000 sps_…")
  process.exit(2)
}
const url = new URL("/mcp", address)

const folder = await mkdtemp(path.join(tmpdir(), "agents-clients-"))
const installed = process.env["AGENTS_CLIENTS"]
if (installed === undefined) {
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }))
  await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder })
} else {
  await symlink(path.join(installed, "node_modules"), path.join(folder, "node_modules"))
}
// Imported from there, so that names are resolved among the clients.
await writeFile(path.join(folder, "load.mjs"), "export const load = (name) => import(name)")
const { load } = await import(pathToFileURL(path.join(folder, "load.mjs")).href)

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value))
/** Makes every run create its own posts: the same call within a day has no second effect. */
const mark = randomUUID().slice(0, 8)
const info = { name: "agents", version: "1.0.0" }

const ofClient = (client) => ({
  list: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args) => text(await client.callTool({ name, arguments: args })),
  close: () => client.close()
})

const official = (options) => async (headers) => {
  const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client")
  const client = new Client(info, options)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return ofClient(client)
}

const earlier = async (makeTransport) => {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js")
  const client = new Client(info)
  await client.connect(await makeTransport())
  return ofClient(client)
}

/** Tools that are objects with a function to call. */
const ofTools = (tools, nameOf, call, close) => {
  const find = (name) => Object.entries(tools).find(([at, tool]) => nameOf(at, tool).endsWith(name))?.[1]
  return {
    list: async () => Object.entries(tools).map(([at, tool]) => nameOf(at, tool)),
    call: async (name, args) => text(await call(find(name), args)),
    close
  }
}

const clients = {
  "@modelcontextprotocol/client": official(),
  "@modelcontextprotocol/client, negotiating": official({ versionNegotiation: { mode: "auto" } }),
  "@modelcontextprotocol/sdk": (headers) =>
    earlier(async () => {
      const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js")
      return new StreamableHTTPClientTransport(url, { requestInit: { headers } })
    }),
  "mcp-remote": (headers) =>
    earlier(async () => {
      const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js")
      const program = path.join(folder, "node_modules/mcp-remote/dist/proxy.js")
      const args = [program, url.href, "--allow-http", "--transport", "http-only", "--header"]
      return new StdioClientTransport({
        command: process.execPath,
        args: [...args, `Authorization:${headers.authorization}`],
        env: { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: "true" },
        stderr: "ignore"
      })
    }),
  "@ai-sdk/mcp": async (headers) => {
    const { createMCPClient } = await load("@ai-sdk/mcp")
    const client = await createMCPClient({ transport: { type: "http", url: url.href, headers } })
    const call = (tool, args) => tool.execute(args, { toolCallId: "1", messages: [] })
    return ofTools(
      await client.tools(),
      (at) => at,
      call,
      () => client.close()
    )
  },
  "@langchain/mcp-adapters": async (headers) => {
    const { MultiServerMCPClient } = await load("@langchain/mcp-adapters")
    const client = new MultiServerMCPClient({ mcpServers: { sp: { transport: "http", url: url.href, headers } } })
    const call = (tool, args) => tool.invoke(args).catch((error) => text({ isError: true, error: String(error) }))
    return ofTools(
      await client.getTools(),
      (_, { name }) => name,
      call,
      () => client.close()
    )
  },
  "@openai/agents": async (headers) => {
    const { MCPServerStreamableHttp } = await load("@openai/agents")
    const server = new MCPServerStreamableHttp({ url: url.href, requestInit: { headers } })
    await server.connect()
    return {
      list: async () => (await server.listTools()).map(({ name }) => name),
      call: async (name, args) => text(await server.callToolResult(name, args)),
      close: () => server.close()
    }
  },
  "@mastra/mcp": async (headers) => {
    const { MCPClient } = await load("@mastra/mcp")
    const client = new MCPClient({ servers: { sp: { url, requestInit: { headers } } } })
    const { errors, tools } = await client.listToolsWithErrors()
    if (Object.keys(errors).length > 0) throw new Error(text(errors))
    return ofTools(
      tools,
      (at) => at,
      (tool, args) => tool.execute(args, {}),
      () => client.disconnect()
    )
  },
  mcporter: async (headers) => {
    const { createRuntime } = await load("mcporter")
    const runtime = await createRuntime({
      servers: [{ name: "sp", command: { kind: "http", url, headers } }]
    })
    return {
      list: async () => (await runtime.listTools("sp")).map(({ name }) => name),
      call: async (name, args) => text(await runtime.callTool("sp", name, { args })),
      close: () => runtime.close()
    }
  }
}

const expectText = (answer, part, what) => {
  if (!answer.includes(part)) throw new Error(`${what}: expected ${part} in ${answer.slice(0, 300)}`)
}

/** A result is structured, or JSON in a text, whose quotes are then escaped once or twice. */
const member = (answer, name) => new RegExp(`${name}\\\\*":\\\\*"([^"\\\\]+)`).exec(answer)?.[1]

const use = async (client, name) => {
  const tools = await client.list()
  if (tools.length !== 11) throw new Error(`It lists ${tools.length} tools: ${tools.join(", ")}`)
  const created = await client.call("create_post", {
    content: `Hello from ${name} ${mark}`,
    platforms: ["bluesky"],
    tags: ["a"]
  })
  const [id, etag] = [member(created, "id"), member(created, "etag")]
  expectText(created, "draft", "create_post")
  expectText(await client.call("get_post", { id }), `Hello from ${name} ${mark}`, "get_post")
  const changed = await client.call("update_post", { id, etag, content: "Better" })
  expectText(changed, "2-draft", "update_post")
  const stale = await client.call("update_post", { id, etag, content: "Too late" }).catch(String)
  expectText(stale, "revision_mismatch", "A tool's error")
  return `11 tools, created, read and changed ${id}; a stale etag is refused with its code`
}

const timeout = (promise, what) => {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`${what} took a minute`)), 60_000).unref())
  return Promise.race([promise, late])
}

/** What a person would see of a refused key. */
const refuse = async (connect) => {
  try {
    const client = await connect({ authorization: "Bearer sps_wrong" })
    const seen = await client.list().then((tools) => `lists ${tools.length} tools without an error`, String)
    await client.close()
    return seen
  } catch (error) {
    return String(error)
  }
}

let failures = 0
for (const [name, connect] of Object.entries(clients)) {
  try {
    const client = await timeout(connect({ authorization: `Bearer ${key}` }), "Connecting")
    console.log(`ok   ${name}: ${await timeout(use(client, name), "Its calls")}`)
    await client.close()
  } catch (error) {
    failures += 1
    console.log(`FAIL ${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const refused = await timeout(refuse(connect), "The refusal").catch(String)
  console.log(`     a refused key: ${refused.replaceAll(/\s+/g, " ").slice(0, 240)}`)
}
await rm(folder, { recursive: true })
console.log(`${Object.keys(clients).length - failures} clients passed, ${failures} failed`)
process.exit(failures === 0 ? 0 : 1)
