import { Effect, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, writeFile } from "node:fs/promises"
import { createConnection } from "node:net"
import path from "node:path"
import { setTimeout } from "node:timers/promises"

/** True if something accepts connections on the port. */
const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" })
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

/**
 * Runs PgBouncer from Debian's package in transaction mode, in front of the database of the URL. Like the default, its
 * configuration refuses most startup parameters. Needs `pgbouncer` in the path.
 */
export const pooler = Effect.fn("pooler")(function* (directory: string, url: Redacted.Redacted) {
  const direct = new URL(Redacted.value(url))
  const port = Number(direct.port) + 1
  const file = path.join(directory, "pgbouncer.ini")
  const users = path.join(directory, "pgbouncer.users")
  yield* Effect.promise(async () => {
    await writeFile(users, `"${decodeURIComponent(direct.username)}" "${decodeURIComponent(direct.password)}"\n`)
    await writeFile(
      file,
      `[databases]
* = host=127.0.0.1 port=${direct.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_client_conn = 200
default_pool_size = 10
server_login_retry = 1
`
    )
    // PgBouncer refuses to run as root, so it runs as the user nobody.
    await chmod(users, 0o644)
    await chmod(directory, 0o755)
  })
  let child: ChildProcess | undefined
  const isRoot = process.getuid?.() === 0

  const start = Effect.promise(async () => {
    child = spawn("pgbouncer", [...(isRoot ? ["-u", "nobody"] : []), "-q", file], { stdio: "ignore" })
    // Rejects if PgBouncer is not installed.
    await once(child, "spawn")
    while (child.exitCode === null && !(await accepts(port))) await setTimeout(20)
    if (child.exitCode !== null) throw new Error(`pgbouncer exited with ${child.exitCode}`)
  })
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void child?.kill(name))
  const kill = Effect.promise(async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  })

  yield* Effect.addFinalizer(() => kill)
  yield* start
  const pooled = new URL(direct)
  pooled.port = String(port)
  return { url: Redacted.make(pooled.href), start, kill, freeze: signal("SIGSTOP"), resume: signal("SIGCONT") }
})
