import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Queue, Redacted } from "effect"
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "effect/sql"
import { chmod, chown, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { databaseLayer } from "../../../src/repo/postgres/database.ts"
import { missingSettings } from "../../../src/repo/postgres/settings.ts"
import { restartableDatabase } from "../../chaos/support/database.ts"
import { selfSignedCertificate } from "../../http/node/selfSignedCertificate.ts"
import { freshDatabase } from "../../support/database/testDatabase.ts"
import { startError } from "../../support/process/commands.ts"

const encryptionKey = Buffer.alloc(32, 1).toString("base64")

/** Applies an operator's settings for the role behind a pooler, here to one database. */
const give = (url: Redacted.Redacted, ...settings: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    for (const setting of settings) yield* sql.unsafe(`ALTER DATABASE "${name}" SET ${setting}`)
  }).pipe(Effect.provide(databaseLayer(url)))

const neverStored = "A commit would not survive a crash or a failover, and posts would go out twice."

describe("databaseLayer with a pooler in transaction mode", () => {
  it.live("A start names the settings that the role of the pooled sessions lacks, as statements to run", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const user = new URL(Redacted.value(url)).username
      const start = startError({
        DATABASE_URL: Redacted.value(url),
        DATABASE_DIRECT_URL: Redacted.value(url),
        ENCRYPTION_KEY: encryptionKey
      })
      const advice = "DATABASE_URL: the role needs settings, because a pooler drops those of a connection."
      const idle = `ALTER ROLE ${user} SET idle_in_transaction_session_timeout = '30s';`
      const limits = `ALTER ROLE ${user} SET statement_timeout = '5s'; ALTER ROLE ${user} SET lock_timeout = '4s'; ${idle}`
      const durable = `ALTER ROLE ${user} SET synchronous_commit = 'on';`
      assert.strictEqual(yield* start, `${advice} ${neverStored} Run: ${limits} ${durable}`)
      yield* give(url, "statement_timeout = '5s'", "lock_timeout = '4s'", "synchronous_commit = 'on'")
      assert.strictEqual(yield* start, `${advice} Run: ${idle}`)
      yield* give(
        url,
        "idle_in_transaction_session_timeout = '30s'",
        "synchronous_commit = 'off'",
        "default_transaction_isolation = 'serializable'",
        "default_transaction_deferrable = 'on'"
      )
      const transactions = `ALTER ROLE ${user} SET default_transaction_deferrable = 'off'; ALTER ROLE ${user} SET default_transaction_isolation = 'read committed';`
      assert.strictEqual(yield* start, `${advice} ${neverStored} Run: ${transactions} ${durable}`)
    })
  )

  it.live(
    "Pooled sessions are sent no limits and prepare nothing, and wake-ups arrive over the direct connection",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const direct = yield* PgClient.PgClient
          const [pooled] = yield* sql`SELECT current_setting('statement_timeout') AS limit, ${1}::int AS value,
          (SELECT count(*)::int FROM pg_prepared_statements) AS prepared`
          assert.deepStrictEqual(pooled, { limit: "0", value: 1, prepared: 0 })
          assert.deepStrictEqual(yield* direct`SHOW statement_timeout`, [{ statement_timeout: "5s" }])
          const wakeUps = yield* direct.listen("due_targets")
          yield* sql`SELECT pg_notify('due_targets', 'now')`
          assert.strictEqual((yield* Queue.take(wakeUps)).payload, "now")
        }).pipe(Effect.scoped, Effect.provide(databaseLayer(url, url)))
      })
  )

  it.live("Sessions without a pooler lack nothing, whatever is set for their role or database", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* give(
        url,
        "statement_timeout = '0'",
        "synchronous_commit = 'off'",
        "default_transaction_isolation = 'serializable'",
        "default_transaction_deferrable = 'on'"
      )
      assert.deepStrictEqual(yield* Effect.provide(missingSettings, databaseLayer(url)), {
        ofSession: [],
        isDurable: true,
        firesTriggers: true
      })
    })
  )
})

/** A TLS server and the file of its certificate for 127.0.0.1, which no known authority signed. */
const tlsServer = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "tls database "))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
  const { asSuperuser, url } = yield* restartableDatabase({ dataDir })
  const { cert, key } = selfSignedCertificate("a database")
  const caFile = path.join(dataDir, "ca.crt")
  yield* Effect.promise(async () => {
    const directory = path.join(dataDir, "postgres", "data")
    const { gid, uid } = await stat(directory)
    await writeFile(caFile, cert)
    for (const [name, content] of [
      ["server.crt", cert],
      ["server.key", key]
    ] as const) {
      const file = path.join(directory, name)
      await writeFile(file, content)
      await chmod(file, 0o600)
      await chown(file, uid, gid)
    }
  })
  yield* asSuperuser("ALTER SYSTEM SET ssl = on")
  yield* asSuperuser("SELECT pg_reload_conf()")
  /** Connects. Returns true if the session is encrypted, or the reason for a failure. */
  const connect = (parameters: Readonly<Record<string, string>>, host = "127.0.0.1") =>
    Effect.gen(function* () {
      const target = new URL(Redacted.value(url))
      target.hostname = host
      for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value)
      const ask = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ readonly ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
      )
      return yield* Effect.matchCause(Effect.provide(ask, databaseLayer(Redacted.make(target.href))), {
        onSuccess: ([row]) => String(row?.ssl),
        onFailure: String
      })
    })
  return { caFile, connect }
})

describe("databaseLayer with TLS", () => {
  it.live("A server is verified by the authorities of sslrootcert, and by its name", () =>
    Effect.gen(function* () {
      const { caFile, connect } = yield* tlsServer
      yield* Effect.repeat(connect({ sslmode: "verify-full", sslrootcert: caFile }), { until: (ssl) => ssl === "true" })
      assert.match(yield* connect({ sslmode: "verify-full" }), /self-signed certificate/)
      assert.match(yield* connect({ sslmode: "verify-full", sslrootcert: caFile }, "localhost"), /altnames/)
      assert.match(yield* connect({ sslrootcert: caFile }), /sslrootcert has no effect without sslmode=verify-full/)
      assert.match(
        yield* connect({ sslmode: "verify-full", sslrootcert: "/nowhere/ca.crt" }),
        /sslrootcert: ENOENT.*\/nowhere\/ca.crt/
      )
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
