import { execFile, execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { inspect, promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import packageJson from "../../package.json" with { type: "json" }
import { RunningService } from "../support/http/runningService.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const clients = path.join(root, "test/clients")
const run = promisify(execFile)

/** Another Node than the tests' own: the system's, if it is version 20. */
const findNode20 = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => path.join(folder, "node"))
    .find((program) => {
      try {
        return execFileSync(program, ["--version"], { encoding: "utf8" }).startsWith("v20.")
      } catch {
        return false
      }
    })

let directory = ""
let tarball = ""
const consumer = () => path.join(directory, "consumer")
const installed = () => path.join(consumer(), "node_modules/social-publisher-client")

/** Builds and packs the package, and puts it into a project without a registry. */
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "a packed client "))
  const built = path.join(directory, "built")
  await run(process.execPath, [path.join(root, ".deploy/client/build.mjs"), built])
  await run("npm", ["pack", "--offline", "--ignore-scripts", "--pack-destination", directory], { cwd: built })
  tarball = path.join(directory, readdirSync(directory).find((file) => file.endsWith(".tgz")) ?? "")
  await mkdir(installed(), { recursive: true })
  await run("tar", ["-xzf", tarball, "-C", installed(), "--strip-components=1"])
  await cp(path.join(clients, "consumer"), consumer(), { recursive: true })
  await writeFile(path.join(consumer(), "package.json"), JSON.stringify({ type: "module", private: true }))
  const readme = await readFile(path.join(installed(), "README.md"), "utf8")
  for (const [index, [, example = ""]] of [...readme.matchAll(/```ts\n(.*?)```/gs)].entries())
    await writeFile(path.join(consumer(), `readme${index}.ts`), example)
  await mkdir(path.join(consumer(), "node_modules/@types"))
  await symlink(path.join(root, "node_modules/@types/node"), path.join(consumer(), "node_modules/@types/node"))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Compiles the project; the error of a failed compiler has its output. */
const compile = async (compiler: string, options: object, include = ["*.ts"]) => {
  const project = path.join(consumer(), "tsconfig.json")
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: "es2023",
    skipLibCheck: false,
    ...options
  }
  await writeFile(project, JSON.stringify({ compilerOptions, include }))
  const compiled = await run(process.execPath, [path.join(compiler, "typescript/bin/tsc"), "-p", project]).catch(
    (error: unknown) => error
  )
  assert.deepInclude(compiled, { stdout: "" }, inspect(compiled))
}

const nodeTypes = { module: "nodenext", lib: ["es2023"], types: ["node"] }
const bundlerTypes = {
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  types: []
}

describe("the package of the client", () => {
  it("The package has no dependencies, no side effects, and the version of the service", async () => {
    const own = JSON.parse(await readFile(path.join(installed(), "package.json"), "utf8"))
    assert.deepInclude(own, { name: "social-publisher-client", version: packageJson.version, sideEffects: false })
    assert.notProperty(own, "dependencies")
    for (const file of ["index.js", "webhooks.js"])
      assert.notMatch(await readFile(path.join(installed(), file), "utf8"), /^import |\bimport\(|require\(/m)
  })

  it("The client takes at most 12 kB minified and compressed, and verifying webhooks at most 2 kB", async () => {
    const sizeOf = async (file: string) => {
      const { outputFiles } = await build({
        entryPoints: [path.join(installed(), file)],
        bundle: true,
        minify: true,
        format: "esm",
        write: false
      })
      return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length
    }
    const sizes = [await sizeOf("index.js"), await sizeOf("webhooks.js")]
    process.stdout.write(`${sizes.join(" and ")} bytes\n`)
    assert.isAtMost(sizes[0] ?? Infinity, 12_000)
    assert.isAtMost(sizes[1] ?? Infinity, 2000)
  })

  it("publint and arethetypeswrong have nothing to say about the package", async () => {
    const { stdout } = await run(process.execPath, [path.join(clients, "checkPackage.ts"), tarball])
    assert.deepStrictEqual(JSON.parse(stdout), [])
  })

  // `compile` asserts that the compiler has nothing to say.
  // oxlint-disable-next-line vitest/expect-expect
  it("Whoever uses the package compiles with TypeScript 5.9 and 7, strictly, for Node and for bundlers", async () => {
    const compilers = [path.join(clients, "node_modules"), path.join(root, "node_modules")] as const
    for (const compiler of compilers)
      for (const exactOptionalPropertyTypes of [true, false])
        await compile(compiler, { exactOptionalPropertyTypes, noEmit: true, ...nodeTypes })
    // Programs for bundlers have no globals of Node.
    await compile(compilers[0], { exactOptionalPropertyTypes: true, noEmit: true, ...bundlerTypes }, ["types.ts"])
  }, 240_000)
})

const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64"
)

layer(RunningService.layer, { excludeTestServices: true })("the package with the running service", (it) => {
  const runProgram = (node: string) =>
    Effect.gen(function* () {
      const { url, key } = yield* RunningService
      const file = path.join(directory, "pixel.png")
      yield* Effect.promise(() => writeFile(file, picture))
      yield* Effect.promise(() => compile(path.join(root, "node_modules"), { ...nodeTypes, outDir: "built" }))
      const { stdout } = yield* Effect.promise((signal) =>
        run(node, [path.join(consumer(), "built/program.js"), url, key, file], { signal })
      )
      assert.deepStrictEqual(JSON.parse(stdout), {
        uploaded: ["ready", "A pixel"],
        part: [206, "PNG"],
        others: ["As a stream", ""],
        unusable: "media_unsupported",
        created: "draft",
        again: [true, true, true],
        mismatch: "idempotency_mismatch",
        changed: ["changed"],
        stale: true,
        published: ["twitter published", "bluesky published"],
        listed: ["One", "Three", "Two"],
        page: [2, true],
        notified: true,
        invalid: [["platforms"]],
        refused: ["tiktok"],
        deleted: true,
        gone: ["not_found", "string"],
        unknownKey: "unauthorized"
      })
    })

  it.effect("A program with the package does on this Node what its users do", () => runProgram(process.execPath))

  it.effect("The examples of the package's page run", () =>
    Effect.gen(function* () {
      const { url, key } = yield* RunningService
      yield* Effect.promise(() => writeFile(path.join(consumer(), "pixel.png"), picture))
      yield* Effect.promise(() => compile(path.join(root, "node_modules"), { ...nodeTypes, outDir: "built" }))
      const env = { ...process.env, PUBLISHER_URL: url, PUBLISHER_KEY: key }
      const outputs: Array<string> = []
      for (const index of [0, 1, 2]) {
        const program = path.join(consumer(), `built/readme${index}.js`)
        const { stdout } = yield* Effect.promise(() => run(process.execPath, [program], { cwd: consumer(), env }))
        outputs.push(stdout)
      }
      assert.match(outputs[0] ?? "", /^published http.*\npublished http.*\n$/)
      assert.include(outputs[1], "Connect first: [ 'tiktok' ]")
    })
  )

  const node20 = findNode20()
  if (node20 === undefined) process.stdout.write("There is no Node 20 outside of node_modules, so none is tried\n")
  it.effect.skipIf(node20 === undefined)("A program with the package does on Node 20 what its users do", () =>
    runProgram(node20 ?? "")
  )
})
