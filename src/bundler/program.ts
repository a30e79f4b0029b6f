import { bundle } from "./bundle.ts"

// Writes the bundle of the dashboard to standard output and ends, so that the bundler's memory is never the service's.

process.stdout.write(JSON.stringify(await bundle()))
