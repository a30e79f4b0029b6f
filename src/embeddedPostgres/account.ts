import { Effect } from "effect"
import { type ChildProcess, execFile, spawn, type StdioOptions } from "node:child_process"
import type { Stats } from "node:fs"
import { chown, readFile, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { attempt } from "./error.ts"

interface Identity {
  readonly uid: number
  readonly gid: number
}

/**
 * Who runs PostgreSQL's programs and owns their files: this process's own user, but where that is root, whom PostgreSQL
 * refuses, another user of the machine.
 */
export interface Account {
  /** The other user; undefined for this process's own. */
  readonly identity: Identity | undefined
  /** The command, if any, that becomes that user and then runs the program. */
  readonly via: ReadonlyArray<string>
}

/**
 * The account for the cluster in `directory`, which is under `dataDir`, and for programs like `binary`.
 *
 * Under root that is the cluster's owner, or for a new one the owner of `dataDir`, else `postgres`, else `nobody`.
 */
export const accountFor = Effect.fnUntraced(function* (dataDir: string, directory: string, binary: string) {
  if (process.getuid?.() !== 0) return { identity: undefined, via: [] }
  const identity = yield* attempt("Choosing a user for PostgreSQL, which refuses to run as root,", () =>
    chooseIdentity(dataDir, directory)
  )
  const reachable = yield* attempt(
    "Looking for the way to PostgreSQL's files",
    async () =>
      (await mayEnter(identity, dataDir)) &&
      (await mayEnter(identity, dirname(binary))) &&
      allows(await stat(binary), identity, 0o5)
  )
  if (reachable) return { identity, via: [] }
  const account: Account = { identity, via: passLockedDirectories(identity) }
  const [command, words] = commandLine(account, binary, ["--version"])
  yield* attempt(
    `PostgreSQL refuses to run as root, and user ${identity.uid} may not enter ${dataDir} or ${dirname(binary)}: keep both where every user may ` +
      "pass, start as an ordinary user, or set DATABASE_URL. Lending that user a way in",
    () => promisify(execFile)(command, words, { env })
  )
  return account
})

/** Gives a file or directory to the account. */
export const own = (account: Account, path: string) =>
  attempt(`Giving ${path} to PostgreSQL's user`, async () => {
    if (account.identity !== undefined) await chown(path, account.identity.uid, account.identity.gid)
  })

/** Starts a program that may outlive this process, and that hears no signal meant for this process's terminal. */
export const spawnAs = (
  account: Account,
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly stdio: StdioOptions }
): ChildProcess => {
  const [command, words] = commandLine(account, program, args)
  return spawn(command, words, {
    ...options,
    env,
    detached: true,
    ...(account.via.length === 0 ? account.identity : undefined)
  })
}

const commandLine = ({ via }: Account, program: string, args: ReadonlyArray<string>): [string, Array<string>] => {
  const [command, ...words] = via
  return command === undefined ? [program, [...args]] : [command, [...words, program, ...args]]
}

// Nothing of this process's environment is handed on: it holds the service's secrets, and PG* variables would bend the server.
const env = {
  LC_ALL: "C",
  TZ: "UTC",
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

// Under /root, say, only root may pass: the user is lent the one capability for that. PostgreSQL looks for its own files with
// access(2), which leaves out the capabilities of any user but root unless no_setuid_fixup is set.
const passLockedDirectories = ({ uid, gid }: Identity) => [
  "setpriv",
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "--inh-caps=-all,+dac_override",
  "--ambient-caps=-all,+dac_override",
  "--securebits=+no_setuid_fixup",
  "--"
]

const chooseIdentity = async (dataDir: string, directory: string): Promise<Identity> => {
  const owner = await stat(directory).catch(() => undefined)
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const { uid: ownerOfData } = await stat(dataDir)
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => {
    const [name, , uid, gid] = line.split(":")
    return { name, uid: Number(uid), gid: Number(gid) }
  })
  const chosen =
    users.find(({ uid }) => uid === ownerOfData && uid !== 0) ??
    users.find(({ name }) => name === "postgres") ??
    users.find(({ name }) => name === "nobody")
  if (chosen === undefined)
    throw new Error("there is neither a user postgres nor nobody; start as an ordinary user, or set DATABASE_URL")
  return { uid: chosen.uid, gid: chosen.gid }
}

const allows = (stats: Stats, { uid, gid }: Identity, wanted: number): boolean => {
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0
  return ((stats.mode >> shift) & wanted) === wanted
}

const mayEnter = async (identity: Identity, directory: string): Promise<boolean> => {
  const above = dirname(directory)
  return allows(await stat(directory), identity, 0o1) && (above === directory || (await mayEnter(identity, above)))
}
