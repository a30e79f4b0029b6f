import { bundle } from "./bundle.ts"

// Writes the bundle of the dashboard to standard output and ends, so that the bundler's memory is never the service's.

try {
  process.stdout.write(JSON.stringify(await bundle()))
} catch (error) {
  // What is wrong with the sources has been written to standard error.
  if (!(error instanceof Error && "errors" in error)) throw error
  process.exitCode = 1
}
