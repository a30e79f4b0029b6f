#!/bin/sh
# mcp-remote 0.15.1 and mcporter 0.12.3 do not show why an MCP server refused a key.
#
# A server answers 401 with a JSON body that says that the key is mistyped, 404 to every question about OAuth and 405 to
# GET /mcp, as the protocol allows. One expects the 401 or its text in the client's error. Seen on Node 24.21:
#   mcporter:   "SSE error: Non-200 status code (405)": it tries the older transport after the 401 and reports that one
#   mcp-remote: "MCP error -32000: Connection closed": it looks for OAuth, finds none and ends
# So the answers to the questions about OAuth have to say that the key was refused.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mcporter@0.12.3 mcp-remote@0.15.1 @modelcontextprotocol/sdk@1.32.2 >/dev/null
cat >program.mjs <<'JS'
import { createServer } from "node:http"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { createRuntime } from "mcporter"

const server = createServer((request, response) => {
  request.resume()
  const status = request.url !== "/mcp" ? 404 : request.method === "POST" ? 401 : 405
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ detail: status === 401 ? "the key is mistyped" : "not here" }))
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`)

const seen = {
  mcporter: await createRuntime({
    servers: [{ name: "a", command: { kind: "http", url, headers: { authorization: "Bearer a" } } }]
  })
    .then((runtime) => runtime.listTools("a"))
    .then(() => "no error", String),
  "mcp-remote": await new Client({ name: "a", version: "1" })
    .connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [
          "node_modules/mcp-remote/dist/proxy.js",
          url.href,
          ...["--allow-http", "--transport", "http-only", "--header", "Authorization:Bearer a"]
        ],
        env: { ...process.env, MCP_REMOTE_CONFIG_DIR: process.cwd(), BROWSER: "true" },
        stderr: "ignore"
      })
    )
    .then(() => "no error", String)
}
for (const [name, text] of Object.entries(seen)) console.log(`${name}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`)
const isHidden = Object.values(seen).every((text) => text !== "no error" && !/401|mistyped/.test(text))
console.log(isHidden ? "as stated: neither names the refused key" : "changed")
process.exit(isHidden ? 0 : 1)
JS
timeout 120 node program.mjs
