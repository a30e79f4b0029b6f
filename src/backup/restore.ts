import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Predicate, Schema, Stream } from "effect"
import { SqlClient, SqlError, SqlSchema } from "effect/sql"
import { createGunzip } from "node:zlib"
import { counted } from "../domain/counted.ts"
import { type Progress, withProgress } from "../domain/progress.ts"
import { splitLines } from "../domain/splitLines.ts"
import { markUnreadableAccounts } from "./accounts.ts"
import { BackupError, type Header, notABackup } from "./format.ts"
import { type Marked, markRestored, requireStopped } from "./markRestored.ts"
import { longestLine, restoreRows } from "./restoreRows.ts"

export interface Restored extends Marked {
  readonly rows: number
  /** No configured key decrypts their credentials. */
  readonly unreadableAccounts: number
}

export interface BackupFile {
  readonly bytes: Stream.Stream<Uint8Array, BackupError>
  /** In bytes; null if it is known only at the end. */
  readonly size: number | null
}

/** Fails if the database has workspaces. The lock keeps a service that starts now from creating any. */
const claimDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`LOCK TABLE workspaces IN EXCLUSIVE MODE`
  const { used } = yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ used: Schema.Boolean }),
    execute: () => sql`SELECT EXISTS (SELECT FROM workspaces) AS used`
  })(undefined).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
  if (used) {
    return yield* new BackupError({
      message: "The database has workspaces already; restore into an empty one, or set another DATA_DIR"
    })
  }
  yield* requireStopped
})

/** SQLSTATE classes of invalid data, violated constraints and unknown columns: the file does not fit the tables. */
const unfitStates = /^(22|23|42)/

const isUnfit = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  Predicate.hasProperty(error.reason.cause, "code") &&
  unfitStates.test(String(error.reason.cause.code))

const gunzip = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  NodeStream.pipeThroughDuplex(bytes, {
    evaluate: () => createGunzip(),
    onError: (cause) =>
      new BackupError({
        message: `The backup can't be read, it is cut off or damaged: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

const countBytes = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  total: number | null,
  report: (progress: Progress) => void
) => {
  let done = 0
  return Stream.map(bytes, (chunk) => {
    done += chunk.length
    report({ _tag: "Amount", title: "Restoring", done, total, isTotalEstimated: false, unit: "bytes" })
    return chunk
  })
}

/**
 * Restores a backup into the migrated database, whose last migration is `migration`. Uses its own transaction, so the
 * caller must not be in one.
 */
export const restoreBackup = Effect.fn("restoreBackup")(function* (
  { bytes, size }: BackupFile,
  { acceptUnreadable, migration }: { readonly acceptUnreadable: boolean; readonly migration: number }
) {
  const sql = yield* SqlClient.SqlClient

  const checkHeader = (header: Header) =>
    header.migration <= migration
      ? Effect.void
      : new BackupError({
          message: `The backup is from migration ${header.migration}, but this version of the service has ${migration}; restore it with a newer version`
        })

  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* claimDatabase
      const { header, rows } = yield* withProgress((report) => {
        const lines = gunzip(countBytes(bytes, size, report)).pipe(splitLines(longestLine))
        return Effect.catchIf(restoreRows(lines, checkHeader), isUnfit, () => notABackup)
      })
      const { total, unreadable } = yield* markUnreadableAccounts()
      if (unreadable > 0 && !acceptUnreadable) {
        return yield* new BackupError({
          message: `No key in ENCRYPTION_KEY decrypts the stored credentials of ${unreadable} of ${counted(total, "account")}. Set the key that the backup was made under (the embedded database's is DATA_DIR/encryption-key), or restore with --without-key and connect these accounts again`
        })
      }
      const marked = yield* markRestored(header.taken_at)
      const restored: Restored = { ...marked, rows, unreadableAccounts: unreadable }
      return restored
    })
  )
})
