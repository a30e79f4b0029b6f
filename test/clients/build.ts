// Generates two clients of a running service and compiles a program with each: node build.ts <address> <directory>
import { execFileSync } from "node:child_process"
import { copyFileSync, readdirSync, writeFileSync } from "node:fs"
import { createRequire, registerHooks } from "node:module"
import path from "node:path"

const [address = "", directory = ""] = process.argv.slice(2)
const document = `${address}/openapi.json`
const programs = path.join(import.meta.dirname, "programs")

// npm puts @hey-api/openapi-ts beside the project's own TypeScript, which has no programming interface any more.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "typescript" ? { ...context, parentURL: import.meta.url } : context)
})

const { default: openapiTypescript, astToString } = await import("openapi-typescript")
writeFileSync(path.join(directory, "openapiTypescript.ts"), astToString(await openapiTypescript(new URL(document))))

const { createClient } = await import("@hey-api/openapi-ts")
await createClient({
  input: document,
  output: { path: path.join(directory, "heyApi"), module: { extension: ".js" } },
  logs: { level: "silent", file: false }
})

for (const file of readdirSync(programs)) copyFileSync(path.join(programs, file), path.join(directory, file))
execFileSync(process.execPath, [createRequire(import.meta.url).resolve("typescript/bin/tsc"), "-p", directory], {
  stdio: "inherit"
})
