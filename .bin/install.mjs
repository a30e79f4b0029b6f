// Installs the packages of a folder with its own lock file, unless they are installed: node .bin/install.mjs FOLDER
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = path.resolve(root, process.argv[2] ?? ".")
const name = path.relative(root, folder)

/** `npm ci` removes this file first, so that an interrupted installation does not count. */
const mark = path.join(folder, "node_modules/.installed")

/** Identifies an installation. A changed dependency or another machine needs a new one. */
const wanted = () => {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`)
  for (const file of ["package.json", "package-lock.json"]) hash.update(readFileSync(path.join(folder, file)))
  return hash.digest("hex")
}

const isInstalled = () => {
  try {
    return readFileSync(mark, "utf8") === wanted()
  } catch {
    return false
  }
}

/** Holds a lock that the system releases if this process dies. */
const alone = (task) => {
  const cache = path.join(root, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const lock = new DatabaseSync(path.join(cache, "install.lock"), { timeout: 600_000 })
  try {
    lock.exec("BEGIN EXCLUSIVE")
    task()
  } finally {
    lock.close()
  }
}

const install = () => {
  // Another process can have installed them in the meantime.
  if (isInstalled()) return
  process.stderr.write(`Installing the packages of ${name}, once\n`)
  execFileSync("npm", ["ci", "--include=dev"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  mkdirSync(path.dirname(mark), { recursive: true })
  writeFileSync(mark, wanted())
}

try {
  if (!isInstalled()) alone(install)
} catch (error) {
  process.stderr.write(
    `The packages of ${name} are not installed: ${error.message}. They are installed when they are first needed, ` +
      `from npm's registry. Connect to the network and try again, or run \`npm ci\` in ${name} to see the problem.\n`
  )
  process.exitCode = 1
}
