// Refuses a package-lock.json by which `npm ci` would install something on this machine that it can't verify, or that names a
// registry. The platform packages that lock.mjs adds have no integrity until a registry that has them is asked.
import { readFileSync } from "node:fs"

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"))

const libc =
  process.platform === "linux" ? (process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl") : undefined

/** As npm reads `os`, `cpu` and `libc`: a list of values, or of values to exclude. */
const fits = (list, value) =>
  list === undefined ||
  (list.some((entry) => entry.startsWith("!")) ? !list.includes(`!${value}`) : list.includes(value))

const isInstalledHere = ({ cpu, libc: libraries, os }) =>
  fits(os, process.platform) && fits(cpu, process.arch) && (libc === undefined || fits(libraries, libc))

const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
const unverified = fetched.filter(([, entry]) => entry.integrity === undefined && isInstalledHere(entry))
const located = fetched.filter(([, { resolved }]) => resolved !== undefined)

const problems = [
  ...unverified.map(([path]) => `${path} has no integrity`),
  ...located.map(([path]) => `${path} names a registry`)
]
process.stdout.write(`${problems.map((problem) => `package-lock.json: ${problem}\n`).join("")}`)
process.exitCode = problems.length === 0 ? 0 : 1
