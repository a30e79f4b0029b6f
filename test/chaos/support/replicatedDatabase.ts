import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import { chmod, chown, mkdir, readdir, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { chooseAccount } from "../../../src/embeddedPostgres/account.ts"
import { tcpProxy } from "./tcpProxy.ts"

const packages = "/usr/lib/postgresql"
const password = "campaign"

/** The primary is lost because it dies, or because it still runs but no client can reach it. */
export type Loss = "killed" | "cut off"

interface Node {
  readonly data: string
  readonly port: number
}

/** The programs of the latest PostgreSQL from Debian's packages. The embedded PostgreSQL lacks pg_basebackup. */
const findPrograms = Effect.promise(async () => {
  const [latest] = (await readdir(packages)).toSorted((left, right) => Number(right) - Number(left))
  return path.join(packages, latest ?? "none", "bin")
})

/**
 * A primary with a synchronous replica, behind a proxy that connects to the primary. After each failover the proxy
 * connects to the former replica, which gets a new replica.
 */
export const replicatedDatabase = Effect.fn("replicatedDatabase")(function* (parent: string) {
  const programs = yield* findPrograms
  const directory = path.join(parent, "replicated")
  yield* Effect.promise(async () => {
    await mkdir(directory)
    await chmod(parent, 0o755)
  })
  const { user } = yield* chooseAccount(directory, directory, path.join(programs, "postgres"))
  yield* Effect.promise(async () => {
    if (user !== undefined) await chown(directory, user.uid, user.gid)
  })
  const run = (program: string, ...args: ReadonlyArray<string>) =>
    Effect.promise(() =>
      promisify(execFile)(path.join(programs, program), [...args], {
        cwd: directory,
        env: { PGPASSWORD: password, LC_ALL: "C.UTF-8", PATH: process.env["PATH"] },
        ...user
      })
    )

  const control = ({ data }: Node, ...args: ReadonlyArray<string>) => run("pg_ctl", "-D", data, "-w", "-s", ...args)
  const start = (node: Node) =>
    control(
      node,
      "-l",
      `${node.data}.log`,
      "-o",
      `-p ${node.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c timezone=UTC`,
      "start"
    )
  const stop = (node: Node) => control(node, "-m", "immediate", "stop")
  const asSuperuser = ({ port }: Node, ...statements: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const statement of statements) yield* sql.unsafe(statement)
    }).pipe(
      Effect.provide(
        PgClient.layer({
          host: "127.0.0.1",
          port,
          username: "postgres",
          database: "postgres",
          password: Redacted.make(password)
        })
      )
    )

  let nodes = 0
  const firstPort = 20_000 + (process.pid % 12_000)
  const scope = yield* Effect.scope
  const addNode = Effect.gen(function* () {
    const number = nodes++
    const node: Node = { data: path.join(directory, `node ${number}`), port: firstPort + 1 + number }
    yield* Scope.addFinalizer(scope, Effect.ignoreCause(stop(node)))
    return node
  })

  /** Copies the primary to a new replica, and makes each commit of the primary wait for that replica. */
  const addReplica = Effect.fnUntraced(function* (primary: Node) {
    const node = yield* addNode
    const connection = `host=127.0.0.1 port=${primary.port} user=postgres application_name=replica`
    yield* run("pg_basebackup", "-R", "-c", "fast", "-D", node.data, "-d", connection)
    // The copied settings would make the copy, once promoted, wait for a replica that it doesn't have.
    yield* Effect.promise(() => rm(path.join(node.data, "postgresql.auto.conf")))
    yield* Effect.promise(async () => {
      const file = path.join(node.data, "postgresql.auto.conf")
      await writeFile(file, `primary_conninfo = '${connection} password=${password}'\n`)
      if (user !== undefined) await chown(file, user.uid, user.gid)
    })
    yield* start(node)
    yield* asSuperuser(primary, "ALTER SYSTEM SET synchronous_standby_names = 'replica'", "SELECT pg_reload_conf()")
    return node
  })

  let primary = yield* addNode
  const passwordFile = path.join(directory, "password")
  yield* Effect.promise(() => writeFile(passwordFile, password))
  yield* run("initdb", "-D", primary.data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`)
  yield* start(primary)
  yield* asSuperuser(
    primary,
    `CREATE ROLE publisher LOGIN PASSWORD '${password}'`,
    "CREATE DATABASE publisher OWNER publisher"
  )
  let replica = yield* addReplica(primary)
  const target = { host: "127.0.0.1", port: primary.port }
  const proxy = yield* tcpProxy(target)

  /** Makes the primary unavailable, runs `outage`, and then promotes the replica. */
  const failOver = Effect.fnUntraced(function* (loss: Loss, outage: Effect.Effect<unknown>) {
    const lost = primary
    if (loss === "killed") yield* stop(lost)
    yield* proxy.disconnect(loss === "killed" ? "refused" : "vanished")
    yield* outage
    yield* control(replica, "promote")
    primary = replica
    target.port = primary.port
    yield* proxy.reconnect
    if (loss === "cut off") yield* stop(lost)
  })
  /** Gives the new primary a replica. */
  const repair = Effect.gen(function* () {
    replica = yield* addReplica(primary)
  })

  const url = Redacted.make(`postgres://publisher:${password}@127.0.0.1:${proxy.port}/publisher`)
  return { url, failOver, repair }
})
