import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { keyHeaders, send, sendJson } from "../support/http/client.ts"
import { runCommand } from "../support/process/commands.ts"
import { freePort } from "../support/process/program.ts"
import { runService } from "../support/process/service.ts"

/** A database and a DATA_DIR of their own, on which the service is started again and again. */
export const makeDemo = Effect.gen(function* () {
  const database = yield* freshDatabase
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "demo "))),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: Redacted.value(database),
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    DEMO_EXAMPLES: "on"
  }

  /** Runs the service until the scope closes. Its key is empty where it printed none. */
  const start = Effect.fnUntraced(function* (more: Readonly<Record<string, string>> = {}) {
    const port = yield* Effect.promise(freePort)
    const greeting = yield* runService({ ...env, PORT: String(port), ...more })
    const url = `http://127.0.0.1:${port}`
    const [, key = ""] = /API key {5}(\S+)/.exec(greeting) ?? []
    const call = (method: string, route: string, body?: unknown) =>
      sendJson(`${url}/v1${route}`, method, keyHeaders(key), body)
    /** As a page of the dashboard does. */
    const examples = (method: "GET" | "DELETE", headers: Readonly<Record<string, string>> = { origin: url }) =>
      send(`${url}/sandbox/examples`, { method, headers })
    const timelines = Effect.map(send(`${url}/sandbox`), ({ text }) => text)
    return { url, key, call, examples, timelines }
  })

  const command = (...args: ReadonlyArray<string>) => runCommand(args, env)

  const sql = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe<Readonly<Record<string, unknown>>>(statement)).pipe(
      Effect.provide(PgClient.layer({ url: database, maxConnections: 1 }))
    )

  return { start, command, sql, env }
})
