// Generates two clients from a running service, and compiles a program with each: node build.ts <url> <directory>
import { execFileSync } from "node:child_process"
import { copyFileSync, readdirSync, writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import path from "node:path"

const [url = "", directory = ""] = process.argv.slice(2)
const document = `${url}/openapi.json`
const programs = path.join(import.meta.dirname, "programs")

// npm hoists @hey-api/openapi-ts next to the project's own TypeScript 7, which lacks the compiler API that it needs.
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
// Uses the project's own compiler, which takes a quarter of the time of this workspace's compiler.
const compiler = path.join(import.meta.dirname, "../../node_modules/typescript/bin/tsc")
execFileSync(process.execPath, [compiler, "-p", directory], { stdio: "inherit" })
