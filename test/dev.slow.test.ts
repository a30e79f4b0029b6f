import { spawn } from "node:child_process"
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { compileCacheEnv, freePort } from "./support/process/program.ts"
import { readScripts } from "./support/readScripts.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

let copy = ""
let url = ""
let printed = ""
/** The process group of `npm run dev`; undefined until it runs. */
let group: number | undefined
let ended: Promise<unknown> = Promise.resolve()

const until = async <A>(read: () => A | Promise<A>, satisfies: (value: A) => boolean): Promise<A> => {
  const value = await read()
  if (satisfies(value)) return value
  await setTimeout(50)
  return until(read, satisfies)
}

/** Saves as many editors do: replaces the file with another. */
const edit = async (file: string, change: (text: string) => string) => {
  const place = path.join(copy, file)
  await writeFile(`${place}.new`, change(await readFile(place, "utf8")))
  await rename(`${place}.new`, place)
}

/** The text of the document's script and of all that it imports. */
const loadedScripts = async () => {
  const document = await (await fetch(`${url}/`)).text()
  const [first = ""] = /(?<=\/assets\/)[^"]+\.js/.exec(document) ?? []
  const texts = await readScripts(first, async (name) => (await fetch(`${url}/assets/${name}`)).text())
  return [...texts.values()].join("")
}

/** The version that open pages get. */
const toldVersion = async () => {
  const client = new AbortController()
  const { body } = await fetch(`${url}/dev/version`, { signal: client.signal })
  const { value } = (await body?.getReader().read()) ?? {}
  client.abort()
  return new TextDecoder().decode(value)
}

const signalGroup = (signal: NodeJS.Signals | 0): boolean => {
  if (group === undefined) return false
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

const isRunning = (): boolean => signalGroup(0)

beforeAll(async () => {
  copy = await mkdtemp(path.join(tmpdir(), "an edited checkout "))
  for (const name of [".bin", "migrations", "package.json", "src"]) {
    await cp(path.join(root, name), path.join(copy, name), { recursive: true })
  }
  await symlink(path.join(root, "node_modules"), path.join(copy, "node_modules"))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const child = spawn("npm", ["run", "dev", "--", "--empty"], {
    cwd: copy,
    detached: true,
    env: { PATH: process.env["PATH"], HOME: copy, PORT: String(port), ...compileCacheEnv }
  })
  group = child.pid
  const collect = (chunk: unknown) => void (printed += String(chunk))
  child.stdout.on("data", collect)
  child.stderr.on("data", collect)
  ended = new Promise((resolve) => child.once("close", resolve))
  await Promise.race([
    until(
      () => printed,
      (text) => text.includes("Listening on")
    ),
    ended.then(() => assert.fail(printed))
  ])
})
afterAll(async () => {
  signalGroup("SIGKILL")
  await rm(copy, { recursive: true, force: true })
})

describe("npm run dev", () => {
  it("An edit of the dashboard is in what a page loads next, and open pages are told of it", async () => {
    const before = await toldVersion()
    await edit("src/dashboard/shell/App.tsx", (text) => text.replace("Page not found", "Place not found"))
    assert.notStrictEqual(await until(toldVersion, (version) => version !== before), before)
    await until(loadedScripts, (scripts) => scripts.includes("Place not found"))
  })

  it("A page shows why the dashboard can't be bundled, until the next edit", async () => {
    await edit("src/dashboard/shell/App.tsx", (text) => `${text}\nconst broken = <`)
    const shown = await until(loadedScripts, (scripts) => scripts.includes("The dashboard can't be bundled"))
    assert.include(shown, "App.tsx")
    await edit("src/dashboard/shell/App.tsx", (text) => text.replace("\nconst broken = <", ""))
    await until(loadedScripts, (scripts) => scripts.includes("Place not found"))
  })

  it("An edit of the service restarts it with what was stored before, and pages are loaded again", async () => {
    const [, key = ""] = /API key {5}(\S+)/.exec(printed) ?? []
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const body = JSON.stringify({ content: "Written before", platforms: ["twitter"] })
    assert.strictEqual((await fetch(`${url}/v1/posts`, { method: "POST", headers, body })).status, 201)
    for (const comment of ["// An edit.", "// Another one."]) {
      const before = await toldVersion()
      await edit("src/http/operations/health.ts", (text) => `${text}\n${comment}\n`)
      await until(
        () => toldVersion().catch(() => before),
        (version) => version !== before
      )
    }
    const { data } = (await (await fetch(`${url}/v1/posts`, { headers })).json()) as {
      readonly data: ReadonlyArray<object>
    }
    assert.lengthOf(data, 1)
  })

  it("A service that does not end when it is told to is killed, so that the next edit is seen", async () => {
    const health = "src/http/operations/health.ts"
    const former = await readFile(path.join(copy, health), "utf8")
    const seen = (text: string) => until(() => printed.includes(text), Boolean)
    await edit(health, () => `process.once("SIGTERM", () => { for (;;) {} })\nconsole.error("Looping")\n${former}`)
    await seen("Looping")
    await edit(health, () => `console.error("Mended")\n${former}`)
    await seen("Mended")
    assert.include(printed, "was killed")
  })

  it("Ctrl-C ends it with all that it started", async () => {
    signalGroup("SIGINT")
    await ended
    await until(isRunning, (running) => !running)
    assert.notInclude(printed, 'ERROR","message":"A response')
  })
})
