import { globSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"

/** These end their database, or spend their time on what belongs to no workspace: counts, passwords, whatever is made up. */
const unpoliced = ["databaseAway", "generatedInput", "rateLimit", "sessions"]

/** The tests that ask a server on the real database. */
const onTheDatabase = globSync("test/http/{,caller/,handlers/,middleware/,router/,operations/,node/}*.test.ts").filter(
  (file) =>
    !unpoliced.some((name) => file.endsWith(`/${name}.test.ts`)) && /\brepoLayer\b/.test(readFileSync(file, "utf8"))
)

export default defineConfig({
  test: {
    globalSetup: "test/globalSetup.ts",
    pool: "forks",
    // The files share what they import, which would take a third of the run's time if each loaded it for itself.
    isolate: false,
    // Many tests wait for a time to pass or for a process to start.
    maxWorkers: 3,
    passWithNoTests: false,
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
