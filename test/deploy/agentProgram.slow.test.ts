import { assert, layer } from "@effect/vitest"
import { Client as ModernClient } from "@modelcontextprotocol/client"
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import packageJson from "../../package.json" with { type: "json" }
import { agents } from "../mcp/agent.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)

/** What finds the tests' own Node first: the machine's may be older. */
const env = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH: [path.dirname(process.execPath), process.env["PATH"]].join(path.delimiter),
  HOME: process.env["HOME"] ?? "",
  TMPDIR: process.env["TMPDIR"] ?? tmpdir(),
  ...more
})

/** Packs the service and puts it into a project, as an installation from a registry would, whose packages come from this checkout. */
const install = async (directory: string) => {
  await run(process.execPath, [path.join(root, ".deploy/build.mjs"), path.join(directory, "built")])
  const npm = (args: ReadonlyArray<string>, cwd: string) =>
    run("npm", [...args, "--offline", "--ignore-scripts"], { cwd, env: env() })
  await npm(["pack", path.join(directory, "built"), "--pack-destination", directory], directory)
  const project = path.join(directory, "project")
  const installed = path.join(project, "node_modules/social-publisher")
  await mkdir(path.join(installed, "node_modules"), { recursive: true })
  await writeFile(path.join(project, "package.json"), JSON.stringify({ private: true }))
  const tarball = path.join(directory, `social-publisher-${packageJson.version}.tgz`)
  await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"])
  await symlink(path.join(root, "node_modules/sharp"), path.join(installed, "node_modules/sharp"))
  // Links the programs of what is installed.
  await npm(["rebuild"], project)
  return project
}

/** A project in which the package is installed. */
class Project extends Context.Service<Project, string>()("test/Project") {
  static readonly layer = Layer.effect(
    Project,
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(path.join(tmpdir(), "an installed program "))),
        (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
      )
      return yield* Effect.promise(() => install(directory))
    })
  )
}

/** How an agent's client starts the program. */
interface Start {
  readonly command: string
  readonly args: Array<string>
  readonly cwd: string
  readonly env: Record<string, string>
}

/** The part of an official client that the tests use, whichever its version. */
interface AnyClient {
  readonly callTool: (call: {
    readonly name: string
    readonly arguments: Record<string, unknown>
  }) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => Promise<void>
  /** Is told of what is no message, such as other text on standard output. */
  onerror?: ((error: Error) => void) | undefined
}

const info = { name: "test", version: "1" }

const connections: Readonly<Record<string, (start: Start) => Promise<AnyClient>>> = {
  "the client of the current revision": async (start) => {
    const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new ModernTransport(start))
    assert.strictEqual(client.getNegotiatedProtocolVersion(), "2026-07-28")
    return client
  },
  "the client as it comes": async (start) => {
    const client = new ModernClient(info)
    await client.connect(new ModernTransport(start))
    assert.strictEqual(client.getNegotiatedProtocolVersion(), "2025-11-25")
    return client
  },
  "the SDK before": async (start) => {
    const client = new Client(info)
    await client.connect(new StdioClientTransport(start))
    return client
  }
}

layer(Layer.merge(Project.layer, databaseServerLayer({ others: agents })))(
  "social-publisher mcp of the installed package",
  (it) => {
    for (const [name, connect] of Object.entries(connections)) {
      it.effect(`With ${name} an agent starts the program by npx, drafts a post, and ends it`, () =>
        Effect.gen(function* () {
          const { key } = yield* makeTeam
          const start = {
            command: "npx",
            args: ["--offline", "social-publisher", "mcp"],
            cwd: yield* Project,
            env: env({ SOCIAL_PUBLISHER_URL: yield* ServerUrl, SOCIAL_PUBLISHER_KEY: key })
          }
          yield* Effect.promise(async () => {
            const client = await connect(start)
            const errors: Array<Error> = []
            // The clients are no event targets.
            // oxlint-disable-next-line unicorn/prefer-add-event-listener
            client.onerror = (error) => void errors.push(error)
            const created = await client.callTool({
              name: "create_post",
              arguments: { content: "Hello", platforms: ["bluesky"] }
            })
            assert.include(JSON.stringify(created["structuredContent"]), '"next":"draft"')
            await client.close()
            assert.deepStrictEqual(errors, [])
          })
        })
      )
    }
  }
)
