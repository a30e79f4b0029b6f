// Updates every lock file of the project. npm leaves a platform's binary package out of package-lock.json where the
// registry at hand does not have it, and `npm ci` then refuses that lock file everywhere. This adds what is missing: the
// version is the exact one that the dependent names, the platform follows from the package's name. It also adds the hashes
// that such entries lack, as far as the registry at hand knows them. With --check it changes nothing, and only fails where
// this machine would fetch a package without a hash.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { folders } from "./folders.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const files = ["", ...folders].map((folder) => path.join(folder, "package-lock.json"))

const read = (file) => JSON.parse(readFileSync(path.join(root, file), "utf8"))

const isFetched = ([at, { link, inBundle }]) => at.includes("node_modules/") && !link && !inBundle
const unhashedOf = ({ packages }) => Object.entries(packages).filter((entry) => isFetched(entry) && !entry[1].integrity)

/** Whether an entry's list, such as ["linux"] or ["!win32"], names this machine. */
const fits = (allowed, actual) =>
  allowed?.every((value) => (value.startsWith("!") ? value !== `!${actual}` : allowed.includes(actual))) ?? true

/** What is wrong with a lock file on this machine. */
const problemsOf = (file) => {
  if (!existsSync(path.join(root, file))) return [`${file} is missing`]
  const lock = read(file)
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc"
  const refused = unhashedOf(lock).filter(
    ([, entry]) => fits(entry.os, process.platform) && fits(entry.cpu, process.arch) && fits(entry.libc, libc)
  )
  const located = Object.entries(lock.packages).filter((entry) => isFetched(entry) && entry[1].resolved !== undefined)
  return [
    ...refused.map(([at]) => `${at} has no integrity in ${file}`),
    ...located.map(([at]) => `${at} names a registry in ${file}`)
  ]
}

if (process.argv.includes("--check")) {
  const problems = files.flatMap(problemsOf)
  for (const problem of problems) process.stderr.write(`${problem}: npm run lock\n`)
  process.exit(problems.length > 0 ? 1 : 0)
}

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"]
const processors = ["arm", "arm64", "ia32", "ppc64", "riscv64", "s390x", "x64"]
const libraries = { gnu: "glibc", musl: "musl" }

const platformOf = (name) => {
  const words = name.split(/[/-]/u)
  const os = systems.find((system) => words.includes(system))
  const cpu = processors.find((processor) => words.includes(processor))
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not say its platform`)
  const libc = libraries[words.at(-1)]
  return { os, cpu, libc }
}

/** The binary packages that npm has left out. */
const missingOf = ({ packages }) => {
  const isLocked = (dependent, name) =>
    `${dependent}/node_modules/${name}` in packages || `node_modules/${name}` in packages
  return Object.entries(packages).flatMap(([dependent, { dev, optionalDependencies }]) =>
    Object.entries(optionalDependencies ?? {})
      .filter(([name]) => !isLocked(dependent, name))
      .map(([name, version]) => {
        if (!/^\d+\.\d+\.\d+\S*$/u.test(version)) throw new Error(`${dependent} names no exact version of ${name}`)
        const { os, cpu, libc } = platformOf(name)
        const entry = { version, cpu: [cpu], dev, libc: libc && [libc], optional: true, os: [os] }
        return [`node_modules/${name}`, entry]
      })
  )
}

/** The hash of a package, or undefined where the registry does not have that version. */
const findIntegrity = (name, version) => {
  try {
    const args = ["view", `${name}@${version}`, "dist.integrity", "--json"]
    return JSON.parse(execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
  } catch (error) {
    if (typeof error.stdout === "string" && error.stdout.includes(`"code": "E404"`)) return undefined
    throw error
  }
}

const update = (file) => {
  const cwd = path.join(root, path.dirname(file))
  execFileSync("npm", ["install", "--package-lock-only"], { cwd, stdio: ["ignore", "ignore", "inherit"] })
  const lock = read(file)
  const added = missingOf(lock)
  lock.packages = Object.fromEntries(
    [...Object.entries(lock.packages), ...added].toSorted(([a], [b]) => a.localeCompare(b, "en"))
  )
  for (const [at, entry] of unhashedOf(lock)) {
    const integrity = findIntegrity(entry.name ?? at.split("node_modules/").at(-1), entry.version)
    const { version, ...rest } = entry
    if (integrity !== undefined) lock.packages[at] = { version, integrity, ...rest }
  }
  writeFileSync(path.join(root, file), `${JSON.stringify(lock, null, 2)}\n`)
  process.stdout.write(`${added.length} platform packages added to ${file}\n`)
  for (const [at] of unhashedOf(lock))
    process.stderr.write(`${at}: the registry does not have it, so it has no integrity\n`)
}

for (const file of files) update(file)
