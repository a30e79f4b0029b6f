import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { accountFor, own } from "./account.ts"
import { attempt, EmbeddedPostgresError } from "./error.ts"
import { openLock } from "./lock.ts"
import { launch, locateBinaries, type Programs } from "./programs.ts"

/** A database cluster under DATA_DIR: where its files are, and with what it is served. */
export interface Cluster {
  readonly dataDir: string
  /** PostgreSQL's own data directory. */
  readonly directory: string
  readonly passwordFile: string
  /** Held while the server is made, found, started or stopped. */
  readonly startLock: string
  /** Shared by all processes that use the server. */
  readonly usersLock: string
  readonly durable: boolean
  readonly programs: Programs
}

/** The cluster's superuser, whom the service itself never is. */
export const superuser = "postgres"

/** Finds the cluster's place under `dataDir`, creating that where it is missing; the cluster itself may not exist yet. */
export const openCluster = Effect.fnUntraced(function* (options: {
  readonly dataDir: string
  readonly durable: boolean
}) {
  const binaries = yield* locateBinaries(import.meta.url)
  const dataDir = yield* attempt(`Creating DATA_DIR ${options.dataDir}`, async () => {
    // Under root another user has to pass through; what is in it is closed on its own.
    await mkdir(options.dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    return realpath(options.dataDir)
  })
  const directory = join(dataDir, "postgres", "data")
  const account = yield* accountFor(dataDir, directory, binaries.postgres)
  const cluster: Cluster = {
    dataDir,
    directory,
    passwordFile: join(dataDir, "postgres", "password"),
    startLock: join(dataDir, "postgres.lock"),
    usersLock: join(dataDir, "postgres.users"),
    durable: options.durable,
    programs: { binaries, account, workingDirectory: dataDir, log: join(dataDir, "postgres.log") }
  }
  yield* attempt(`Opening ${cluster.programs.log}`, async () => (await open(cluster.programs.log, "a", 0o600)).close())
  yield* own(account, cluster.programs.log)
  for (const path of [cluster.startLock, cluster.usersLock]) {
    yield* Effect.acquireUseRelease(
      openLock(path),
      () => own(account, path),
      (lock) => lock.close
    )
  }
  return cluster
})

/** Reads the password that the cluster was made with. */
export const readPassword = (cluster: Cluster) =>
  attempt(`Reading ${cluster.passwordFile}`, async () =>
    Redacted.make((await readFile(cluster.passwordFile, "utf8")).trim())
  )

/** Makes the cluster unless it exists. It gets its place only when complete, so that a start cut short leaves nothing half made. */
export const initialize = Effect.fnUntraced(function* (cluster: Cluster) {
  const home = join(cluster.dataDir, "postgres")
  if (
    yield* attempt(`Looking at ${home}`, () =>
      stat(home).then(
        () => true,
        () => false
      )
    )
  )
    return
  yield* Effect.acquireUseRelease(
    attempt(`Creating a directory in ${cluster.dataDir}`, () => createDraft(cluster)),
    Effect.fnUntraced(function* (draft) {
      yield* fillDraft(cluster, draft)
      yield* attempt(`Putting ${home} in its place`, () => rename(draft, home))
    }),
    (draft) => Effect.ignore(attempt(`Removing ${draft}`, () => rm(draft, { recursive: true, force: true })))
  )
  if (cluster.durable)
    yield* Effect.ignore(attempt(`Writing out ${cluster.dataDir}`, () => syncDirectory(cluster.dataDir)))
})

// The name is new each time: what fills the draft of a killed process may still be at work on it.
const createDraft = async ({ dataDir }: Cluster): Promise<string> => {
  const drafts = (await readdir(dataDir)).filter((name) => name.startsWith(draftPrefix))
  await Promise.allSettled(drafts.map((name) => rm(join(dataDir, name), { recursive: true, force: true })))
  return mkdtemp(join(dataDir, draftPrefix))
}

const draftPrefix = "postgres.new-"

const syncDirectory = async (path: string): Promise<void> => {
  await using directory = await open(path)
  await directory.sync()
}

const fillDraft = Effect.fnUntraced(function* (cluster: Cluster, draft: string) {
  const directory = join(draft, "data")
  const passwordFile = join(draft, "password")
  const random = yield* SecureRandom.SecureRandom
  const password = Buffer.from(yield* random.randomBytes(24)).toString("base64url")
  yield* attempt(`Preparing ${draft}`, async () => {
    await mkdir(directory, { mode: 0o700 })
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  })
  yield* Effect.forEach([draft, directory, passwordFile], (path) => own(cluster.programs.account, path))
  yield* runInitdb(cluster, directory, passwordFile)
}, Effect.provide(SecureRandom.layerWebCrypto))

const runInitdb = (cluster: Cluster, directory: string, passwordFile: string) =>
  Effect.acquireUseRelease(
    launch(cluster.programs, "initdb", [
      `--pgdata=${directory}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      ...(cluster.durable ? [] : ["--no-sync"])
    ]),
    Effect.fnUntraced(function* (initdb) {
      if ((yield* initdb.ended) === 0) return
      return yield* new EmbeddedPostgresError({
        message: `PostgreSQL could not make its database in ${cluster.dataDir}: ${yield* initdb.complaint}`
      })
    }),
    (initdb) => initdb.interrupt
  )
