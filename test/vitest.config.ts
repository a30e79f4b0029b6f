import { globSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification, type Vite } from "vitest/node"
import { failedTests } from "./failedTests.ts"
import { compileCacheEnv } from "./support/process/program.ts"

/**
 * These start and kill processes and clusters, fill tables, draw many inputs, wait for real time, or take rare ways through the
 * dashboard: `npm run test:slow`.
 */
const slow = "test/**/*.slow.test.ts"

/** A test of the policies themselves, which makes sense with them alone. */
const tenancy = "test/http/tenancy.test.ts"

const hasMark = (file: string, mark: RegExp) => mark.test(readFileSync(file, "utf8"))

/**
 * The tests of a server on the real database, which the project "policed" runs a second time under row level security. A comment
 * `// Not policed: ` with its reason keeps a file out.
 */
const onTheDatabase = globSync(
  ["test/http/{,caller/,handlers/,middleware/,router/,operations/,node/}*.test.ts", "test/mcp/*.test.ts"],
  { exclude: [slow, tenancy] }
).filter(
  (file) =>
    hasMark(file, /\b(repoLayer|databaseServerLayer|agentServerLayer|publishingServerLayer|SharedUser)\b/) &&
    !hasMark(file, /^\/\/ Not policed: /m)
)

/** What waits longest begins first, so that no worker is alone with it in the end: browsers, and files with a comment that says so. */
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

/** Adds a reporter to those that the command line names, which would replace those of a configuration. */
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
    // Files share their imports. Loading them for each file would take a third of the run's time.
    isolate: false,
    // The processes that tests start inherit it: those that read media, for each file one.
    env: compileCacheEnv,
    // More than there are cores, as many tests wait for time to pass or for a process to start.
    maxWorkers: 4,
    passWithNoTests: false,
    // Most titles of parameterized tests are whole then.
    taskTitleValueFormatTruncate: 120,
    // They only end a test that hangs. With ten times as much work as there are cores, three seconds become thirty.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/bench/**", "test/chaos/**", tenancy, slow],
          provide: { tenancyPoliced: false }
        }
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: [slow],
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
