// npm leaves a platform's binary package out of package-lock.json where the registry at hand does not have it, and
// `npm ci` then refuses that lock file everywhere. This adds what is missing: the version is the exact one that the
// dependent names, the platform follows from the package's name.
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("../package-lock.json", import.meta.url)
const lock = JSON.parse(readFileSync(file, "utf8"))

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
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added.length} platform packages added to package-lock.json\n`)
