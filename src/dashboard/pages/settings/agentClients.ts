export const agentClients = [
  { id: "claude", label: "Claude Code" },
  { id: "cursor", label: "Cursor" },
  { id: "vscode", label: "VS Code" },
  { id: "stdio", label: "stdio" }
] as const
export type AgentClient = (typeof agentClients)[number]["id"]

const json = (value: unknown) => JSON.stringify(value, null, 2)

const name = "social-publisher"

export const setupOf = (client: AgentClient, url: string, secret: string) => {
  const server = { url: `${url}/mcp`, headers: { Authorization: `Bearer ${secret}` } }
  switch (client) {
    case "claude":
      return {
        where: "Run this in a terminal. Its history then contains the key:",
        text: `claude mcp add --transport http ${name} ${server.url} --header "Authorization: ${server.headers.Authorization}"`
      }
    case "cursor":
      return {
        where: "Add this to ~/.cursor/mcp.json, which then has the key:",
        text: json({ mcpServers: { [name]: server } })
      }
    case "vscode":
      return {
        where: "Add this to .vscode/mcp.json, and do not commit it, as it has the key:",
        text: json({ servers: { [name]: { type: "http", ...server } } })
      }
    case "stdio":
      return {
        where:
          "Add this to the client’s settings of MCP servers. The key is in the environment, where no list of processes shows it:",
        text: json({
          mcpServers: {
            [name]: {
              command: name,
              args: ["mcp"],
              env: { SOCIAL_PUBLISHER_URL: url, SOCIAL_PUBLISHER_KEY: secret }
            }
          }
        })
      }
  }
}
