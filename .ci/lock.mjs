// npm leaves a platform's binary package out of package-lock.json where the registry at hand does not have it, and
// `npm ci` then refuses that lock file everywhere. This adds what is missing: the version is the exact one that the
// dependent names, the platform follows from the package's name. It also adds the hashes that such entries lack, as far as
// the registry at hand knows them. With --check it only fails where this machine would fetch a package without a hash.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("../package-lock.json", import.meta.url)
const lock = JSON.parse(readFileSync(file, "utf8"))

const isFetched = ([path, { link, inBundle }]) => path.includes("node_modules/") && !link && !inBundle
const unhashed = () => Object.entries(lock.packages).filter((entry) => isFetched(entry) && !entry[1].integrity)

/** Whether an entry's list, such as ["linux"] or ["!win32"], names this machine. */
const fits = (allowed, actual) =>
  allowed?.every((value) => (value.startsWith("!") ? value !== `!${actual}` : allowed.includes(actual))) ?? true

if (process.argv.includes("--check")) {
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc"
  const refused = unhashed().filter(
    ([, entry]) => fits(entry.os, process.platform) && fits(entry.cpu, process.arch) && fits(entry.libc, libc)
  )
  const located = Object.entries(lock.packages).filter((entry) => isFetched(entry) && entry[1].resolved !== undefined)
  for (const [path] of refused) process.stderr.write(`${path} has no integrity in package-lock.json: npm run lock\n`)
  for (const [path] of located) process.stderr.write(`${path} names a registry in package-lock.json: npm run lock\n`)
  process.exit(refused.length + located.length > 0 ? 1 : 0)
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

const isLocked = (dependent, name) =>
  `${dependent}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages

const added = Object.entries(lock.packages).flatMap(([dependent, { dev, optionalDependencies }]) =>
  Object.entries(optionalDependencies ?? {})
    .filter(([name]) => !isLocked(dependent, name))
    .map(([name, version]) => {
      if (!/^\d+\.\d+\.\d+\S*$/u.test(version)) throw new Error(`${dependent} names no exact version of ${name}`)
      const { os, cpu, libc } = platformOf(name)
      const entry = { version, cpu: [cpu], dev, libc: libc && [libc], optional: true, os: [os] }
      return [`node_modules/${name}`, entry]
    })
)

lock.packages = Object.fromEntries(
  [...Object.entries(lock.packages), ...added].toSorted(([a], [b]) => a.localeCompare(b, "en"))
)

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

for (const [path, entry] of unhashed()) {
  const integrity = findIntegrity(entry.name ?? path.split("node_modules/").at(-1), entry.version)
  const { version, ...rest } = entry
  if (integrity !== undefined) lock.packages[path] = { version, integrity, ...rest }
}

writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added.length} platform packages added to package-lock.json\n`)
for (const [path] of unhashed())
  process.stderr.write(`${path}: the registry does not have it, so it has no integrity\n`)
