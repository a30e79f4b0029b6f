import { Effect } from "effect"
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, request } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { installPackages } from "../support/process/installPackages.ts"
import { root } from "../support/process/program.ts"

/** Forwards requests with an added key, because the suite does not support keys. */
export const keyProxy = (port: number, target: string, key: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const proxy = createServer((near, answer) => {
        const headers = [...near.rawHeaders, "Authorization", `Bearer ${key}`]
        const far = request(new URL(near.url ?? "", target), { method: near.method, headers }, (response) => {
          answer.writeHead(response.statusCode ?? 0, response.statusMessage, response.rawHeaders)
          response.pipe(answer)
        })
        far.on("error", () => answer.destroy())
        answer.on("close", () => far.destroy())
        near.pipe(far)
      })
      await new Promise<void>((resolve) => void proxy.listen(port, "127.0.0.1", resolve))
      return proxy
    }),
    (proxy) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            proxy.close(() => resolve())
            proxy.closeAllConnections()
          })
      )
  )

const folder = "test/mcp/conformance"
await installPackages(folder)
const program = path.join(root, folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
}

/** The outcome of the checks of all scenarios. */
export interface Outcome {
  /** The number of passed checks by scenario. */
  readonly passed: Readonly<Record<string, number>>
  /** The other checks, each with its scenario, and with its status if that is not a failure. */
  readonly others: ReadonlyArray<string>
}

const readOutcome = (results: ReadonlyArray<readonly [scenario: string, checks: ReadonlyArray<Check>]>): Outcome => ({
  passed: Object.fromEntries(
    results.map(([scenario, checks]) => [scenario, checks.filter(({ status }) => status === "SUCCESS").length])
  ),
  others: results
    .flatMap(([scenario, checks]) =>
      checks
        .filter(({ status }) => status !== "SUCCESS")
        .map(({ id, status }) => `${scenario}:${id}${status === "FAILURE" ? "" : ` (${status.toLowerCase()})`}`)
    )
    .toSorted()
})

const readChecks = (file: string): ReadonlyArray<Check> => JSON.parse(readFileSync(file, "utf8"))

/** The scenario of a folder of results: the text between "server-" and the time in the folder's name. */
const scenarioOf = (folder: string) => folder.replace(/^server-(.*?)-\d{4}-\d{2}-\d{2}T.*$/, "$1")

/**
 * Scenarios of the extension for tasks, which the server does not support. The suite runs them but does not require
 * them.
 */
const isOfTasks = (scenario: string) => scenario.startsWith("tasks-")

/**
 * Runs all scenarios that a revision of the protocol requires of servers. Does not use the suite's own list of expected
 * failures, because the suite treats a check that no longer runs as a failed check.
 */
export const runSuite = (url: string, revision: string) =>
  Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "conformance-"))),
    (results) =>
      Effect.promise(async (signal) => {
        const args = ["server", "--url", url, "--requirements", revision, "--output-dir", results]
        // The suite exits with 1 if a check failed, and some checks always do.
        await new Promise<void>((resolve) => {
          execFile(process.execPath, [program, ...args], { signal, maxBuffer: Infinity }, () => resolve())
        })
        return readOutcome(
          globSync("*/checks.json", { cwd: results })
            .map((file) => [scenarioOf(path.dirname(file)), readChecks(path.join(results, file))] as const)
            .filter(([scenario]) => !isOfTasks(scenario))
        )
      }),
    (results) => Effect.promise(() => rm(results, { recursive: true, force: true }))
  )
