import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/bench/**", "test/chaos/**"],
    globalSetup: "test/support/globalSetup.ts",
    pool: "forks",
    passWithNoTests: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000
  }
})
