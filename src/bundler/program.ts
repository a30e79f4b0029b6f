import { bundle } from "./bundle.ts"

// Writes the dashboard's bundle to standard output and ends, so that the service never holds the bundler's memory.

try {
  process.stdout.write(JSON.stringify(await bundle()))
} catch (error) {
  // The errors in the sources are on standard error already.
  if (!(error instanceof Error && "errors" in error)) throw error
  process.exitCode = 1
}
