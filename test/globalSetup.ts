import { Effect, Exit, Fiber, Logger, Redacted, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import type { TestProject } from "vitest/node"
import { buildIndexes } from "../src/repo/postgres/buildIndexes.ts"
import { databaseLayer } from "../src/repo/postgres/database.ts"
import { embeddedPostgres } from "../src/embeddedPostgres/embeddedPostgres.ts"
import { indexes } from "../src/repo/postgres/indexes.ts"
import { migrate } from "../src/repo/postgres/migrations.ts"
import { canRunBrowser, unpackChromium } from "./browser/chromium.ts"
import { runProgram } from "./support/process/program.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of a migrated database. Each test file copies this database. */
    readonly templateUrl: string
    /** True if row level security makes a statement fail that reaches another workspace's row. */
    readonly tenancyPoliced: boolean
  }
}

/**
 * Fills the compile cache before the tests. Otherwise the first program that ends would take seconds longer, because it
 * writes the cache.
 */
const compilePrograms = () => runProgram("src/main.ts", [], { PORT: "none" }).ended

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(process.env["FAST_FOLDER"] ?? tmpdir(), "database-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** Runs one PostgreSQL for all tests, with a migrated database to copy, and returns its URL. */
const runDatabase = Effect.gen(function* () {
  const { url } = yield* embeddedPostgres({ dataDir: yield* temporaryFolder, durable: false })
  yield* Effect.andThen(migrate, buildIndexes(indexes)).pipe(Effect.provide([databaseLayer(url), Logger.layer([])]))
  return Redacted.value(url)
})

/** Also unpacks Chromium, unless an earlier run has. */
const setUp = Effect.all(
  [runDatabase, Effect.tryPromise(compilePrograms), Effect.tryPromise(async () => canRunBrowser && unpackChromium())],
  { concurrency: "unbounded" }
)

export default async (project: TestProject) => {
  const scope = Scope.makeUnsafe()
  const setting = Effect.runFork(Scope.provide(setUp, scope))
  let closed: Promise<void> | undefined
  const close = () =>
    (closed ??= Effect.runPromise(Effect.andThen(Fiber.interrupt(setting), Scope.close(scope, Exit.void))))
  // Vitest exits immediately when it is interrupted, and would leave the server running. A signal can arrive more than
  // once: from the terminal, and from the program that started the run.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal).on(signal, () => void close().finally(() => process.exit(1)))
  }
  try {
    const [url] = await Effect.runPromise(Fiber.join(setting))
    project.provide("templateUrl", url)
  } catch (error) {
    await close()
    throw error
  }
  return close
}
