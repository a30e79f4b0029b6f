import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import type { TestProject } from "vitest/node"
import { databaseLayer } from "../src/repo/postgres/database.ts"
import { embeddedPostgres } from "../src/embeddedPostgres/embeddedPostgres.ts"
import { migrate } from "../src/repo/postgres/migrations.ts"
import { runProgram } from "./support/process/program.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The address of a migrated database that each test file copies for itself. */
    readonly templateUrl: string
    /** Whether a statement that reaches another workspace's row fails. */
    readonly tenancyPoliced: boolean
  }
}

/** Has the programs compiled once: whichever ended first would otherwise take seconds longer to, for writing that down. */
const compilePrograms = () => runProgram("src/main.ts", [], { PORT: "none" }).ended

/** Runs one PostgreSQL for the whole run, with one migrated database to copy. */
export default async (project: TestProject) => {
  const compiled = compilePrograms()
  const dataDir = await mkdtemp(path.join(tmpdir(), "social-publisher-test-"))
  const scope = Scope.makeUnsafe()
  const { url } = await Effect.runPromise(Scope.provide(embeddedPostgres({ dataDir, durable: false }), scope))
  await Effect.runPromise(migrate.pipe(Effect.provide(databaseLayer(url))))
  await compiled
  project.provide("templateUrl", Redacted.value(url))
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(dataDir, { recursive: true, force: true })
  }
}
