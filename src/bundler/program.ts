import { bundle } from "./bundle.ts"

// Writes the dashboard's bundle to standard output, in its own process, so that the bundler's memory is released.

try {
  process.stdout.write(JSON.stringify(await bundle()))
} catch (error) {
  // The bundler has already printed the sources' errors.
  if (!(error instanceof Error && "errors" in error)) throw error
  process.exitCode = 1
}
