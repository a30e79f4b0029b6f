import { globSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { compileCacheEnv } from "./support/process/program.ts"

/**
 * These stop their database, spend their time on what belongs to no workspace (counters, passwords, generated input), or
 * run no statement that the others don't.
 */
const unpoliced = [
  "databaseOutage",
  "generatedInput",
  "rateLimit",
  "logIn",
  "sessions",
  "changeSession",
  "sameOrigin",
  "authentication",
  "largeLists",
  "states"
]

/** The tests of a server on the real database, which the project "policed" runs a second time under row level security. */
const onTheDatabase = globSync("test/http/{,caller/,handlers/,middleware/,router/,operations/,node/}*.test.ts").filter(
  (file) =>
    !unpoliced.some((name) => file.endsWith(`/${name}.test.ts`)) &&
    /\b(repoLayer|databaseServerLayer|SharedUser)\b/.test(readFileSync(file, "utf8"))
)

export default defineConfig({
  test: {
    globalSetup: "test/globalSetup.ts",
    pool: "forks",
    // Files share their imports. Loading them for each file would take a third of the run's time.
    isolate: false,
    // The processes that tests start inherit it: those that read media, for each file one.
    env: compileCacheEnv,
    // More than there are cores, as many tests wait for time to pass or for a process to start.
    maxWorkers: 3,
    passWithNoTests: false,
    // Most titles of parameterized tests are whole then.
    taskTitleValueFormatTruncate: 120,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/bench/**", "test/chaos/**", "test/http/tenancy.test.ts"],
          provide: { tenancyPoliced: false }
        }
      },
      {
        extends: true,
        test: {
          name: "policed",
          include: ["test/http/tenancy.test.ts", ...onTheDatabase],
          provide: { tenancyPoliced: true }
        }
      }
    ]
  }
})
