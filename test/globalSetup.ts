import { Effect, Exit, Logger, Redacted, Scope } from "effect"
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
    /** The URL of a migrated database, which each test file copies. */
    readonly templateUrl: string
    /** Whether row level security fails a statement that reaches another workspace's row. */
    readonly tenancyPoliced: boolean
  }
}

/** Fills the compile cache before the tests: the first program that ends would otherwise take seconds longer to write it. */
const compilePrograms = () => runProgram("src/main.ts", [], { PORT: "none" }).ended

/** Vitest ends at once where it is interrupted, and would leave the server running. */
const closeOnSignal = (close: () => Promise<void>) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.removeAllListeners(signal).once(signal, () => void close().finally(() => process.exit(1)))
  }
}

/** Runs one PostgreSQL for all tests, with a migrated database to copy, and unpacks Chromium if no run before has. */
export default async (project: TestProject) => {
  const prepared = Promise.all([compilePrograms(), canRunBrowser && unpackChromium()])
  const dataDir = await mkdtemp(path.join(tmpdir(), "social-publisher-test-"))
  const scope = Scope.makeUnsafe()
  const { url } = await Effect.runPromise(Scope.provide(embeddedPostgres({ dataDir, durable: false }), scope))
  await Effect.runPromise(
    Effect.andThen(migrate, buildIndexes(indexes)).pipe(Effect.provide([databaseLayer(url), Logger.layer([])]))
  )
  await prepared
  project.provide("templateUrl", Redacted.value(url))
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(dataDir, { recursive: true, force: true })
  }
  closeOnSignal(close)
  return close
}
