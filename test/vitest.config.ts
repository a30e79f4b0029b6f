import { globSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification, type Vite } from "vitest/node"
import { failedTests } from "./failedTests.ts"
import { compileCacheEnv } from "./support/process/program.ts"

/**
 * These tests start and kill processes and clusters, fill tables, generate many inputs, wait for real time, or cover
 * rare paths of the dashboard. `npm run test:slow` runs them.
 */
const slow = "test/**/*.slow.test.ts"

/** The test of the policies themselves. It needs the policies. */
const tenancy = "test/http/tenancy.test.ts"

const hasMark = (file: string, mark: RegExp) => mark.test(readFileSync(file, "utf8"))

/**
 * The tests of a server on the real database. They run in the project "policed", under row level security. A comment
 * `// Not policed: ` with a reason leaves a file to "all" instead.
 */
const onTheDatabase = globSync(
  ["test/http/{,caller/,handlers/,middleware/,router/,operations/,node/}*.test.ts", "test/mcp/*.test.ts"],
  { exclude: [slow, tenancy] }
).filter(
  (file) =>
    hasMark(file, /\b(repoLayer|databaseServerLayer|agentServerLayer|publishingServerLayer|SharedUser)\b/) &&
    !hasMark(file, /^\/\/ Not policed: /m)
)

/**
 * The policies take the place of pipelined transactions, and of the connections for fast reads and for lists. Files that
 * need these too run in both projects, and have a comment `// Also plain: ` with the reason.
 */
const onlyPoliced = onTheDatabase.filter((file) => !hasMark(file, /^\/\/ Also plain: /m))

/**
 * Files that wait longest run first, so that no worker runs alone at the end: browser tests, and files with a comment
 * that says so.
 */
const startsEarly = ({ moduleId }: TestSpecification) =>
  moduleId.includes("/test/browser/") || hasMark(moduleId, /^\/\/ Starts early: /m)

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return files.toSorted(
      (left, right) =>
        left.project.name.localeCompare(right.project.name) || Number(startsEarly(right)) - Number(startsEarly(left))
    )
  }
}

/** Adds a reporter. The reporters of the command line would replace a reporter in the configuration. */
const reportsFailedTests: Vite.Plugin = {
  name: "failed-tests",
  configureVitest: ({ vitest: { config } }) => {
    if (!config.reporters.includes(failedTests)) config.reporters.push(failedTests)
  }
}

export default defineConfig({
  plugins: [reportsFailedTests],
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: "test/globalSetup.ts",
    pool: "forks",
    // Files share their imports, because loading them for each file would take a third of the run's time.
    isolate: false,
    // The processes that tests start inherit this, such as the process that reads each media file.
    env: compileCacheEnv,
    // More workers than cores, because many tests wait for time to pass or for a process to start.
    maxWorkers: 4,
    passWithNoTests: false,
    // Long enough for most titles of parameterized tests.
    taskTitleValueFormatTruncate: 120,
    // These timeouts only end tests that hang. With ten times as much work as cores, three seconds become thirty.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/bench/**", "test/chaos/**", tenancy, slow, ...onlyPoliced],
          provide: { tenancyPoliced: false }
        }
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: [slow],
          // Some take two minutes of a core, and share the cores.
          testTimeout: 900_000,
          hookTimeout: 900_000,
          provide: { tenancyPoliced: false }
        }
      },
      {
        extends: true,
        test: {
          name: "tenancy",
          include: [tenancy],
          provide: { tenancyPoliced: true }
        }
      },
      {
        extends: true,
        test: {
          name: "policed",
          include: onTheDatabase,
          provide: { tenancyPoliced: true }
        }
      }
    ]
  }
})
