import { globSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
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

/** These start and kill processes and clusters, fill tables, draw many inputs, or wait for real time: `npm run test:slow`. */
const slow = [
  "http/hostileRequests/slowClients",
  "publishing/killReplicas",
  "http/databaseOutage",
  "http/generatedInput",
  "main",
  "cli",
  "media/library",
  "simulation/simulation",
  "simulation/evenSeeds",
  "simulation/oddSeeds",
  "deploy/package",
  "api/runningService",
  "platforms/bluesky/realPdsCredentials",
  "platforms/bluesky/realPdsRounds",
  "platforms/bluesky/realPdsSessions",
  "platforms/twitter/rounds",
  "backup/backup",
  "backup/restoredService",
  "embeddedPostgres/sharing",
  "embeddedPostgres/roles",
  "embeddedPostgres/startup",
  "repo/postgres/migrations",
  "repo/targets/claimCost",
  "repo/targets/claimRaces",
  "repo/targets/statementCost",
  "repo/webhooks/webhookStatementCost",
  "http/handlers/largeLists"
].map((name) => `test/${name}.test.ts`)

/** What takes longest or waits longest, so that no worker is alone with it in the end. */
const longest = [
  "http/middleware/authentication",
  "browser/compose",
  "browser/composeDrafts",
  "browser/composeFiles",
  "browser/calendar",
  "browser/approvals",
  "browser/settings",
  "browser/accounts",
  "browser/shell",
  "browser/posts",
  "browser/postPage",
  "browser/notifications",
  "browser/firstLoad",
  "browser/logIn",
  "api/openapi"
].map((name) => `test/${name}.test.ts`)

const ranked = [...slow, ...longest]

const rank = ({ moduleId }: TestSpecification) => {
  const index = ranked.findIndex((name) => moduleId.endsWith(`/${name}`))
  return index === -1 ? ranked.length : index
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return files.toSorted(
      (left, right) => left.project.name.localeCompare(right.project.name) || rank(left) - rank(right)
    )
  }
}

export default defineConfig({
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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/bench/**", "test/chaos/**", "test/http/tenancy.test.ts", ...slow],
          provide: { tenancyPoliced: false }
        }
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: slow,
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
