import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { chooseAccount, giveOwnership } from "./account.ts"
import { attempt, EmbeddedPostgresError } from "./error.ts"
import { openLock } from "./lock.ts"
import { launch, locateBinaries, type Programs } from "./programs.ts"

export interface Cluster {
  readonly dataDir: string
  /** PostgreSQL's own data directory. */
  readonly directory: string
  readonly passwordFile: string
  /** For the service's role. */
  readonly servicePasswordFile: string
  /** Held while the cluster is created and while the server is found, started or stopped. */
  readonly startLock: string
  /** Shared by all processes that use the server. */
  readonly usersLock: string
  readonly durable: boolean
  readonly programs: Programs
}

/** The superuser only creates the service's role and database; the service connects as that role. */
export const superuser = "postgres"

/** Creates `dataDir` if it is missing. The cluster itself may not exist yet. */
export const openCluster = Effect.fnUntraced(function* (options: {
  readonly dataDir: string
  readonly durable: boolean
}) {
  const binaries = yield* locateBinaries(import.meta.url)
  const dataDir = yield* attempt(`Creating DATA_DIR ${options.dataDir}`, async () => {
    // If root runs the service, PostgreSQL's user must pass through this directory. The files in it have their own
    // permissions.
    await mkdir(options.dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    return realpath(options.dataDir)
  })
  const directory = join(dataDir, "postgres", "data")
  const account = yield* chooseAccount(dataDir, directory, binaries.postgres)
  const cluster: Cluster = {
    dataDir,
    directory,
    passwordFile: join(dataDir, "postgres", "password"),
    servicePasswordFile: join(dataDir, "postgres", "service-password"),
    startLock: join(dataDir, "postgres.lock"),
    usersLock: join(dataDir, "postgres.users"),
    durable: options.durable,
    programs: { binaries, account, workingDirectory: dataDir, log: join(dataDir, "postgres.log") }
  }
  yield* attempt(`Opening ${cluster.programs.log}`, async () => (await open(cluster.programs.log, "a", 0o600)).close())
  yield* giveOwnership(account, cluster.programs.log)
  for (const path of [cluster.startLock, cluster.usersLock]) {
    yield* Effect.acquireUseRelease(
      openLock(path),
      () => giveOwnership(account, path),
      (lock) => lock.close
    )
  }
  return cluster
})

const readSecret = (path: string) =>
  attempt(`Reading ${path}`, async () => Redacted.make((await readFile(path, "utf8")).trim()))

export const readPassword = (cluster: Cluster) => readSecret(cluster.passwordFile)

/** Generates the password if it is missing. Needs the start lock. */
export const readServicePassword = Effect.fnUntraced(function* ({ programs, servicePasswordFile }: Cluster) {
  if (!(yield* exists(servicePasswordFile))) {
    const draft = `${servicePasswordFile}.new`
    yield* writePassword(draft)
    yield* giveOwnership(programs.account, draft)
    yield* attempt(`Renaming ${draft}`, () => rename(draft, servicePasswordFile))
  }
  return yield* readSecret(servicePasswordFile)
})

const exists = (path: string) =>
  attempt(`Reading ${path}`, () =>
    stat(path).then(
      () => true,
      () => false
    )
  )

const writePassword = Effect.fnUntraced(function* (path: string) {
  const random = yield* SecureRandom.SecureRandom
  const password = Buffer.from(yield* random.randomBytes(24)).toString("base64url")
  yield* attempt(`Writing ${path}`, () => writeFile(path, `${password}\n`, { mode: 0o600 }))
}, Effect.provide(SecureRandom.layerWebCrypto))

/** Renamed into place once complete, so that an interrupted start leaves no partial cluster. */
export const initialize = Effect.fnUntraced(function* (cluster: Cluster) {
  const home = join(cluster.dataDir, "postgres")
  if (yield* exists(home)) return
  yield* Effect.acquireUseRelease(
    attempt(`Creating a directory in ${cluster.dataDir}`, () => createDraft(cluster)),
    Effect.fnUntraced(function* (draft) {
      yield* fillDraft(cluster, draft)
      yield* attempt(`Renaming ${draft} to ${home}`, () => rename(draft, home))
    }),
    (draft) => Effect.ignore(attempt(`Removing ${draft}`, () => rm(draft, { recursive: true, force: true })))
  )
  if (cluster.durable) yield* Effect.ignore(attempt(`Syncing ${cluster.dataDir}`, () => syncDirectory(cluster.dataDir)))
})

// Each draft has a unique name: an initdb that a killed process left behind may still write to an earlier draft.
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
  yield* attempt(`Preparing ${draft}`, () => mkdir(directory, { mode: 0o700 }))
  yield* writePassword(passwordFile)
  yield* Effect.forEach([draft, directory, passwordFile], (path) => giveOwnership(cluster.programs.account, path))
  yield* runInitdb(cluster, directory, passwordFile)
})

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
      if ((yield* initdb.exitCode) === 0) return
      return yield* new EmbeddedPostgresError({
        message: `PostgreSQL could not create its database in ${cluster.dataDir}: ${yield* initdb.lastError}`
      })
    }),
    (initdb) => initdb.interrupt
  )
