import { Effect, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { mkdir, readFile, symlink } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The previous version, which runs while this version is rolled out. */
export const versionBefore = "22f0b0b3"

const Lock = Schema.fromJsonString(
  Schema.Struct({
    packages: Schema.Record(
      Schema.String,
      Schema.Struct({ version: Schema.optionalKey(Schema.String), dev: Schema.optionalKey(Schema.Boolean) })
    )
  })
)

/** The packages that a checkout needs at run time, by version. */
const packagesOf = async (directory: string): Promise<ReadonlyMap<string, string>> => {
  const { packages } = Schema.decodeSync(Lock)(await readFile(path.join(directory, "package-lock.json"), "utf8"))
  return new Map(
    Object.entries(packages).flatMap(([name, { dev = false, version }]) =>
      dev || name === "" || version === undefined ? [] : [[name, version] as const]
    )
  )
}

/**
 * Copies the previous version from Git into `directory`, and returns the path of its program. It shares the installed
 * packages of this checkout. Fails if it needs another version of a package at run time.
 */
export const checkOutVersionBefore = (directory: string) =>
  Effect.promise(async () => {
    const checkout = path.join(directory, "version before")
    await mkdir(checkout)
    const archive = execFileSync("git", ["archive", versionBefore], { cwd: root, maxBuffer: 2 ** 28 })
    execFileSync("tar", ["-x"], { cwd: checkout, input: archive })
    const installed = await packagesOf(root)
    const different = [...(await packagesOf(checkout))].filter(([name, version]) => installed.get(name) !== version)
    if (different.length > 0) throw new Error(`Version ${versionBefore} needs other packages: ${different.join("; ")}`)
    await symlink(path.join(root, "node_modules"), path.join(checkout, "node_modules"))
    return path.join(checkout, "src/main.ts")
  })
