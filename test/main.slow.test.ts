import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import packageJson from "../package.json" with { type: "json" }
import { runCommand, startError } from "./support/process/commands.ts"
import { freePort, runProgram } from "./support/process/program.ts"

// Starts early: it starts and kills processes of the service.

const { engines, scripts } = packageJson

const encryptionKey = Buffer.alloc(32, 1).toString("base64")
let dataDir = ""

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "a first start "))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const read = async (url: string, key: string): Promise<unknown> =>
  (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()

/**
 * Repeats a request ten times a second until the response satisfies a condition, for at most the test's own timeout.
 */
const until = async <A>(request: () => Promise<A>, satisfies: (response: A) => boolean): Promise<A> => {
  const response = await request()
  if (satisfies(response)) return response
  await setTimeout(100)
  return until(request, satisfies)
}

const isPublished = (response: unknown) => JSON.stringify(response).includes('"status":"published","content"')

describe("src/main.ts", () => {
  it("The first start prints requests that publish when they are pasted, on standard error, and only lines of its log on standard output", async () => {
    const port = await freePort()
    const service = runProgram("src/main.ts", [], { PORT: String(port), DATA_DIR: dataDir })
    const [, key = ""] = await service.printed(/API key {5}(\S+)/)
    const [command = ""] = await service.printed(/curl -sS.*\\\n.*"\n/)
    await promisify(execFile)("bash", ["-c", command])
    const posts = await until(() => read(`http://127.0.0.1:${port}/v1/posts`, key), isPublished)
    const urls = [...JSON.stringify(posts).matchAll(/"platform_post_url":"([^"]+)"/g)].map(([, url = ""]) => url)
    assert.lengthOf(urls, 2)
    for (const url of urls) assert.include(await (await fetch(url)).text(), "Hello at")
    const page = await (await fetch(`http://127.0.0.1:${port}/sandbox`)).text()
    assert.lengthOf(page.match(/class="post"/g) ?? [], 2)
    const [withPicture = ""] = await service.printed(/id=\$\(echo.*\\\n.*\n.*\n.*\\\n.*"\n/)
    await promisify(execFile)("bash", ["-c", withPicture])
    const shown = await until(
      async () => (await fetch(`http://127.0.0.1:${port}/sandbox`)).text(),
      (text) => (text.match(/alt="A yellow flag"/g) ?? []).length === 2
    )
    assert.include(shown, "A picture at")
    // The response waits until the dashboard is bundled.
    await fetch(`http://127.0.0.1:${port}/`)
    service.kill("SIGTERM")
    const { code, errors, output } = await service.ended
    assert.strictEqual(code, 0)
    const messages = output
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line).message)
    assert.include(messages[0], "starts on Node")
    assert.isTrue(messages.every((message) => typeof message === "string"))
    assert.lengthOf(
      messages.filter((message) => /^\d+ indexes built$|^The dashboard was bundled in [\d.]+ s$/.test(String(message))),
      2
    )
    assert.notInclude(output, key)
    assert.include(errors, key)
  })

  it("A post that becomes due while the service is killed is published once", async () => {
    const port = await freePort()
    const env = { PORT: String(port), DATA_DIR: dataDir }
    const first = runProgram("src/main.ts", [], env)
    await first.printed(/Listening/)
    const listed = await Effect.runPromise(runCommand(["workspace", "list", "--json"], env))
    const [, workspace = ""] = /"id": "([^"]+)"/.exec(listed.output) ?? []
    const keyCreated = await Effect.runPromise(runCommand(["key", "create", "--workspace", workspace, "--json"], env))
    const [, key = ""] = /"key": "([^"]+)"/.exec(keyCreated.output) ?? []
    const created = await fetch(`http://127.0.0.1:${port}/v1/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        content: "Survives",
        platforms: ["twitter", "bluesky"],
        schedule_at: new Date(Date.now() + 1_500).toISOString()
      })
    })
    assert.strictEqual(created.status, 201)
    first.kill("SIGKILL")
    await first.ended
    const second = runProgram("src/main.ts", [], env)
    await second.printed(/Listening/)
    await until(() => read(`http://127.0.0.1:${port}/v1/posts?limit=1`, key), isPublished)
    const page = await (await fetch(`http://127.0.0.1:${port}/sandbox`)).text()
    assert.lengthOf(page.match(/Survives/g) ?? [], 2)
    second.kill("SIGTERM")
    assert.strictEqual((await second.ended).code, 0)
  })

  it.each([
    ["PORT", { PORT: "http" }, "PORT: Expected a port from 0 to 65535"],
    [
      "platforms that can't be enabled",
      { ENABLE_PLATFORMS: "tiktok,twitter,mastodon" },
      "ENABLE_PLATFORMS: mastodon is not a platform. Possible: linkedin, instagram, youtube, tiktok, threads, and facebook; twitter and bluesky are live without it"
    ],
    ["PLATFORMS", { PLATFORMS: "test" }, 'PLATFORMS: Expected "sandbox" | "live"'],
    [
      "BASE_URL",
      { TRUST_PROXY: "on" },
      "BASE_URL: required behind a proxy, or if HOST is every address; it is the address that clients use, such as https://posts.example.com"
    ],
    [
      "DATABASE_URL",
      { DATABASE_URL: "mysql://x" },
      "DATABASE_URL: Expected a URL such as postgres://user:password@host:5432/database"
    ],
    [
      "several hosts in DATABASE_URL",
      { DATABASE_URL: "postgres://u:p@one:5432,two:5432/d" },
      "DATABASE_URL: Expected a URL such as postgres://user:password@host:5432/database, with one host"
    ],
    [
      "a pooler without its database",
      { DATABASE_DIRECT_URL: "postgres://u:p@127.0.0.1:1/d" },
      "DATABASE_URL: required if DATABASE_DIRECT_URL is set; it is the pooler's URL"
    ],
    [
      "ENCRYPTION_KEY",
      { DATABASE_URL: "postgres://u:p@127.0.0.1:1/d" },
      "ENCRYPTION_KEY: required if DATABASE_URL is set; create one with: openssl rand -base64 32"
    ],
    [
      "a bucket without a key",
      { MEDIA_S3_BUCKET: "media", MEDIA_S3_ENDPOINT: "http://127.0.0.1:1" },
      "MEDIA_S3_ACCESS_KEY_ID: required if MEDIA_S3_BUCKET is set"
    ],
    [
      "a database that does not exist",
      { DATABASE_URL: "postgres://u:p@127.0.0.1:1/d", ENCRYPTION_KEY: encryptionKey },
      "DATABASE_URL: connect ECONNREFUSED 127.0.0.1:1"
    ]
  ])("The start fails with one line that names %s", async (_, env, line) => {
    assert.strictEqual(await Effect.runPromise(startError({ DATA_DIR: dataDir, ...env })), line)
  })

  it("A start that fails prints its one line and ends with code 1", async () => {
    const { code, errors } = await runProgram("src/main.ts", [], { DATA_DIR: dataDir, PORT: "http" }).ended
    assert.deepStrictEqual([code, errors], [1, "PORT: Expected a port from 0 to 65535\n"])
  })

  it.each([
    ["/proc/nope", "ENOENT"],
    ["/proc/version/nope", "ENOTDIR"],
    ["/proc/version", "is not a directory"]
  ])("The service and the commands fail at once with one line where DATA_DIR is %s: %s", async (dir, reason) => {
    const line = new RegExp(`^DATA_DIR: ${dir}.*${reason}.*$`)
    assert.match(await Effect.runPromise(startError({ DATA_DIR: dir })), line)
    const { code, errors } = await Effect.runPromise(runCommand(["workspace", "list"], { DATA_DIR: dir }))
    assert.match(errors.replace(/\n$/, ""), line)
    assert.strictEqual(code, 1)
  })

  it.each([
    ["src/main.ts", []],
    ["src/cli.ts", ["workspace", "list"]]
  ] as const)("%s ends with code 1 where DATA_DIR can't be created", async (program, args) => {
    const { code, errors } = await runProgram(program, args, { DATA_DIR: "/proc/nope" }).ended
    assert.match(errors, /^DATA_DIR: \/proc\/nope.*ENOENT.*\n$/)
    assert.strictEqual(code, 1)
  })

  it("A start with PLATFORMS=live and without X's credentials warns in one line that X can't be used", async () => {
    const service = runProgram("src/main.ts", [], {
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      PLATFORMS: "live",
      LOG_FORMAT: "json",
      LOG_LEVEL: "warn"
    })
    await service.printed(/Listening/)
    service.kill("SIGTERM")
    const { output, errors } = await service.ended
    const logged = `${output}${errors}`.split("\n").filter((line) => line.includes("TWITTER_CLIENT_ID"))
    assert.lengthOf(logged, 1)
    assert.include(logged[0], "WARN")
  })

  it.each([scripts.start, `${scripts.cli} workspace list`, ".bin/social-publisher workspace list"])(
    "`%s` fails with one line on a Node that is too old",
    async (command) => {
      const older = path.join(dataDir, "olderNode.cjs")
      await writeFile(
        older,
        'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })'
      )
      const env = {
        PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}`,
        TMPDIR: process.env["TMPDIR"],
        NODE_OPTIONS: `--require "${older}"`
      }
      const run = promisify(execFile)("sh", ["-c", command], { env, cwd: path.join(import.meta.dirname, "..") })
      const failure: unknown = await run.catch((error: unknown) => error)
      const stderr = `This needs Node ${engines.node}, and this is 20.20.2: ${process.execPath}\n`
      assert.deepInclude(failure, { code: 1, stdout: "", stderr })
    }
  )

  it("The start fails with one line that names a port in use", async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve))
    const address = holder.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const error = await Effect.runPromise(startError({ DATA_DIR: dataDir, PORT: String(port) }))
    holder.close()
    assert.match(error, new RegExp(`^PORT ${port} is in use on 127\\.0\\.0\\.1: .*$`))
  })
})
