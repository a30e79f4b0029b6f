// Writes the client of the API as a package that npm can pack: node .deploy/client/build.mjs [DIRECTORY]
import { execFileSync } from "node:child_process"
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { OpenApi } from "effect/http-api"
import { build } from "esbuild"
import manifest from "../../package.json" with { type: "json" }
import { Api } from "../../src/api/Api.ts"
import { contractOf } from "./declarations.ts"
import { forKeys, readOperations, tableOf } from "./operations.ts"
import { generateSchemas } from "./schemas.mjs"

const root = new URL("../..", import.meta.url)
const source = new URL("src/client/", root)
const given = process.argv[2]
const target =
  given === undefined ? new URL("dist/", import.meta.url) : pathToFileURL(`${resolve(process.cwd(), given)}/`)

const document = forKeys(OpenApi.fromApi(Api))
const operations = readOperations(document)
const table = tableOf(operations)

/** Puts the table of operations in the place of the source's empty one. */
const contract = {
  name: "contract",
  setup: ({ onLoad }) =>
    onLoad({ filter: /src[\\/]client[\\/]contract\.ts$/ }, () => ({
      contents: `export const operations = ${JSON.stringify(table)}`
    }))
}

const bundle = () =>
  build({
    absWorkingDir: fileURLToPath(source),
    entryPoints: ["index.ts", "webhooks.ts"],
    outdir: fileURLToPath(target),
    bundle: true,
    platform: "neutral",
    target: "node20",
    format: "esm",
    plugins: [contract],
    logLevel: "warning"
  })

const declare = async () => {
  const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root))
  const project = fileURLToPath(new URL("tsconfig.json", source))
  execFileSync(process.execPath, [compiler, "-p", project, "--outDir", fileURLToPath(target)], { stdio: "inherit" })
  const { requests, answers, ...reached } = await generateSchemas(document)
  await mkdir(new URL("schemas", target))
  await writeFile(new URL("schemas/requests.d.ts", target), requests)
  await writeFile(new URL("schemas/answers.d.ts", target), answers)
  await writeFile(new URL("contract.d.ts", target), contractOf(document, operations, reached))
  // The compiler leaves the endings of the sources in declarations.
  for (const file of await readdir(target)) {
    if (!file.endsWith(".d.ts")) continue
    const text = await readFile(new URL(file, target), "utf8")
    await writeFile(new URL(file, target), text.replaceAll(/(from "\.\/[^"]+)\.ts"/g, '$1.js"'))
  }
}

const packageJson = {
  name: "social-publisher-client",
  version: manifest.version,
  description: "The client of the social publishing API",
  license: manifest.license,
  type: "module",
  sideEffects: false,
  engines: { node: ">=20.3" },
  exports: {
    ".": { types: "./index.d.ts", default: "./index.js" },
    "./webhooks": { types: "./webhooks.d.ts", default: "./webhooks.js" },
    "./package.json": "./package.json"
  }
}

await rm(target, { recursive: true, force: true })
await bundle()
await declare()
await copyFile(new URL("README.md", source), new URL("README.md", target))
await writeFile(new URL("package.json", target), `${JSON.stringify(packageJson, undefined, 2)}\n`)
