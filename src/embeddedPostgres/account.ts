import { Effect } from "effect"
import { type ChildProcess, execFile, spawn, type StdioOptions } from "node:child_process"
import type { Stats } from "node:fs"
import { chown, readFile, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { attempt } from "./error.ts"

interface OsUser {
  readonly uid: number
  readonly gid: number
}

/**
 * The operating system account that runs PostgreSQL's programs and owns their files. PostgreSQL refuses to run as root,
 * so under root another user of the machine runs it.
 */
export interface OsAccount {
  readonly user: OsUser | undefined
  /** Switches to the user and then runs a program; empty if setuid alone suffices. */
  readonly switchUser: ReadonlyArray<string>
}

/**
 * For the cluster in `directory`, which is under `dataDir`, and for programs in the directory of `binary`.
 *
 * Under root, the account is the cluster's owner. A new cluster gets the owner of `dataDir`, else `postgres`, else
 * `nobody`.
 */
export const chooseAccount = Effect.fnUntraced(function* (dataDir: string, directory: string, binary: string) {
  if (process.getuid?.() !== 0) return { user: undefined, switchUser: [] }
  const user = yield* attempt("Choosing a user for PostgreSQL, which refuses to run as root,", () =>
    chooseUser(dataDir, directory)
  )
  const reachable = yield* attempt(
    "Checking the permissions of PostgreSQL's files",
    async () =>
      (await mayEnter(user, dataDir)) &&
      (await mayEnter(user, dirname(binary))) &&
      allows(await stat(binary), user, 0o5)
  )
  if (reachable) return { user, switchUser: [] }
  const account: OsAccount = { user, switchUser: switchUserWithAccess(user) }
  const [command, args] = commandLine(account, binary, ["--version"])
  yield* attempt(
    `PostgreSQL refuses to run as root, and user ${user.uid} may not enter ${dataDir} or ${dirname(binary)}: keep both where every user may ` +
      "enter, start as an ordinary user, or set DATABASE_URL. Granting that user access",
    () => promisify(execFile)(command, args, { env })
  )
  return account
})

export const giveOwnership = (account: OsAccount, path: string) =>
  attempt(`Giving ${path} to PostgreSQL's user`, async () => {
    if (account.user !== undefined) await chown(path, account.user.uid, account.user.gid)
  })

/** In its own session: the program may outlive this process, and gets no signals from its terminal. */
export const spawnAs = (
  account: OsAccount,
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly stdio: StdioOptions }
): ChildProcess => {
  const [command, allArgs] = commandLine(account, program, args)
  return spawn(command, allArgs, {
    ...options,
    env,
    detached: true,
    ...(account.switchUser.length === 0 ? account.user : undefined)
  })
}

const commandLine = (
  { switchUser }: OsAccount,
  program: string,
  args: ReadonlyArray<string>
): [string, Array<string>] => {
  const [command, ...prefix] = switchUser
  return command === undefined ? [program, [...args]] : [command, [...prefix, program, ...args]]
}

// Excludes this process's environment, which holds the service's secrets, and PG* variables that change the server's
// settings.
const env = {
  LC_ALL: "C",
  TZ: "UTC",
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

// Grants CAP_DAC_OVERRIDE, because only root may enter some directories, such as /root. PostgreSQL finds its own files
// with access(2), which ignores the capabilities of every user but root unless no_setuid_fixup is set.
const switchUserWithAccess = ({ uid, gid }: OsUser) => [
  "setpriv",
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "--inh-caps=-all,+dac_override",
  "--ambient-caps=-all,+dac_override",
  "--securebits=+no_setuid_fixup",
  "--"
]

const chooseUser = async (dataDir: string, directory: string): Promise<OsUser> => {
  const clusterOwner = await stat(directory).catch(() => undefined)
  if (clusterOwner !== undefined && clusterOwner.uid !== 0) return { uid: clusterOwner.uid, gid: clusterOwner.gid }
  const { uid: dataDirOwner } = await stat(dataDir)
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => {
    const [name, , uid, gid] = line.split(":")
    return { name, uid: Number(uid), gid: Number(gid) }
  })
  const chosen =
    users.find(({ uid }) => uid === dataDirOwner && uid !== 0) ??
    users.find(({ name }) => name === "postgres") ??
    users.find(({ name }) => name === "nobody")
  if (chosen === undefined)
    throw new Error("there is neither a user postgres nor nobody; start as an ordinary user, or set DATABASE_URL")
  return { uid: chosen.uid, gid: chosen.gid }
}

const allows = (stats: Stats, { uid, gid }: OsUser, permissions: number): boolean => {
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0
  return ((stats.mode >> shift) & permissions) === permissions
}

const mayEnter = async (user: OsUser, directory: string): Promise<boolean> => {
  const parent = dirname(directory)
  return allows(await stat(directory), user, 0o1) && (parent === directory || (await mayEnter(user, parent)))
}
