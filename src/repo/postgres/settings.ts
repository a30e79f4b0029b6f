import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { withDatabaseTimeout } from "./databaseErrors.ts"

const limits = { statement_timeout: "5s", lock_timeout: "4s", idle_in_transaction_session_timeout: "30s" } as const

const transactions = {
  // A transaction is deferrable only if it says so: see `isBegun`.
  default_transaction_deferrable: "off",
  // A statement that waited for a row's lock continues with the row's new version. At stricter levels it fails.
  default_transaction_isolation: "read committed"
} as const

/**
 * A commit is confirmed once a crash can't undo it: a post whose intent was undone would be sent again. Only a claim
 * does not wait for the disk.
 */
const durable = { synchronous_commit: "on" } as const

/** The settings of every session without a pooler. They override the role's, the database's and the server's. */
export const sessionSettings = {
  TimeZone: "UTC",
  // The estimates of `inIndexOrder` look expensive enough to compile, which takes longer than to run.
  jit: "off",
  // Listening connections are idle for hours.
  idle_session_timeout: "0",
  ...transactions,
  ...durable,
  ...limits
} as const

type Settings = ReadonlyMap<string, string>

const checked = [
  ...Object.keys({ ...limits, ...transactions, ...durable }),
  "synchronous_standby_names",
  "session_replication_role",
  "fsync",
  "full_page_writes"
]

const readSettings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ name: Schema.String, setting: Schema.String }),
    execute: (names) => sql`SELECT name, setting FROM pg_settings WHERE name = ANY(${names}::text[])`
  })(checked)
  return new Map(rows.map(({ name, setting }) => [name, setting]))
})

/** If no standby is awaited, `local` and `remote_write` wait for this server's disk, as `on` does. */
const survivesCrash = (settings: Settings): boolean => {
  const level = settings.get("synchronous_commit")
  if (level === "on" || level === "remote_apply") return true
  // A standby that has not stored the commit loses it in a failover.
  return level !== "off" && settings.get("synchronous_standby_names") === ""
}

export interface MissingSettings {
  /** Settings as `name = 'value'`. A session sets them itself, unless a pooler drops them. */
  readonly ofSession: ReadonlyArray<string>
  readonly isDurable: boolean
  /**
   * Without triggers, the previous version claims posts that it doesn't know, and deleted rows leave dependent rows
   * behind.
   */
  readonly firesTriggers: boolean
}

export const findMissing = (settings: Settings): MissingSettings => {
  const isDurable = survivesCrash(settings)
  const lacks = [
    ...Object.entries(limits).filter(([name]) => settings.get(name) === "0"),
    ...Object.entries(transactions).filter(([name, value]) => settings.get(name) !== value),
    ...(isDurable ? [] : Object.entries(durable))
  ]
  return {
    ofSession: lacks.map(([name, value]) => `${name} = '${value}'`),
    isDurable,
    firesTriggers: settings.get("session_replication_role") !== "replica"
  }
}

/** The settings that a pooler dropped from the ordinary pool. */
export const missingSettings = Effect.map(readSettings, findMissing)

/** Settings with which a crash of the server or its machine may lose or damage commits. */
export const weakenable = ["fsync", "full_page_writes", "synchronous_commit"] as const

export type Weakenable = (typeof weakenable)[number]

const findWeakened = (settings: Settings): ReadonlyArray<Weakenable> =>
  weakenable.filter((name) => (name === "synchronous_commit" ? !survivesCrash(settings) : settings.get(name) === "off"))

export class DatabaseSettings extends Context.Service<
  DatabaseSettings,
  { readonly weakened: Effect.Effect<ReadonlyArray<Weakenable>, DatabaseUnavailable> }
>()("social-publisher/repo/DatabaseSettings") {
  static readonly layer = Layer.effect(
    DatabaseSettings,
    Effect.map(Effect.context<SqlClient.SqlClient>(), (context) =>
      DatabaseSettings.of({
        weakened: readSettings.pipe(
          Effect.map(findWeakened),
          Effect.provideContext(context),
          withDatabaseTimeout("reading the settings of the database")
        )
      })
    )
  )
}
