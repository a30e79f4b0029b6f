// Runs tests: node .bin/test.mjs [FILE…] [vitest's options]. Without a file, and without --project, those of `npm test`.
import { spawn } from "node:child_process"
import { mkdtemp, mkdir, readFile, rm, statfs } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseCLI } from "vitest/node"

const root = fileURLToPath(new URL("..", import.meta.url))
const args = process.argv.slice(2)

const everyProject = ["all", "tenancy", "policed"]
const projectsOfFile = [...everyProject, "slow"]

const { filter, options } = parseCLI(["vitest", ...args])
const projects = options.project !== undefined ? [] : filter.length > 0 ? projectsOfFile : everyProject

// What the tests write, and the programs that they start, goes here: a run neither meets another one nor leaves anything behind.
const temporary = await mkdtemp(path.join(tmpdir(), "social-publisher-test-"))
const own = async (name) => {
  await mkdir(path.join(temporary, name), { mode: 0o700 })
  return path.join(temporary, name)
}

/** The tests' database takes 200 MB. A machine that runs out of memory would end some process, so much has to stay free. */
const spareMemory = 4 * 2 ** 30

/** A folder in memory. None if there is no room, or no such place, or none that this person may write to. */
const inMemory = async () => {
  const { bavail, bsize } = await statfs("/dev/shm")
  // The size of the place is only a limit: it says nothing about the memory that is left.
  if (Math.min(bavail * bsize, process.availableMemory()) < spareMemory) return undefined
  return mkdtemp("/dev/shm/social-publisher-test-")
}
const memory = await inMemory().catch(() => undefined)
const home = await own("home")
const failedTests = path.join(temporary, "failed-tests")
const env = {
  ...process.env,
  // Tests that install packages of their own do so with the settings and the cache of the machine's npm.
  npm_config_userconfig: process.env.npm_config_userconfig ?? path.join(homedir(), ".npmrc"),
  npm_config_cache: process.env.npm_config_cache ?? path.join(homedir(), ".npm"),
  FAILED_TESTS: failedTests,
  // On a disk, copying and dropping databases takes a fifth of the run's processor time.
  FAST_FOLDER: memory ?? (await own("fast")),
  TMPDIR: await own("tmp"),
  HOME: home,
  XDG_CACHE_HOME: path.join(home, ".cache"),
  XDG_CONFIG_HOME: path.join(home, ".config"),
  XDG_DATA_HOME: path.join(home, ".local/share"),
  XDG_STATE_HOME: path.join(home, ".local/state"),
  XDG_RUNTIME_DIR: await own("runtime")
}

const vitest = spawn(
  process.execPath,
  [
    path.join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--config",
    "test/vitest.config.ts",
    "--root",
    ".",
    ...projects.flatMap((project) => ["--project", project]),
    ...args
  ],
  { cwd: root, env, stdio: "inherit" }
)

// A terminal's Ctrl-C reaches both processes. This one stays to remove the folder.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => vitest.kill(signal))
process.exitCode = await new Promise((resolve) => vitest.once("close", (exit) => resolve(exit ?? 1)))
// Named again at the very end, where a person or a program looks first.
const failed = await readFile(failedTests, "utf8").catch(() => "")
if (failed !== "") process.stdout.write(`\nWhat failed:\n${failed}\n`)
for (const folder of [temporary, memory]) {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
