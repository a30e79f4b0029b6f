import * as NodeStream from "@effect/platform-node/NodeStream"
import type { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer, Option, Ref, type Sink, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createGzip } from "node:zlib"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { withProgress } from "../domain/progress.ts"
import type { CredentialCipher } from "../repo/integrations/CredentialCipher.ts"
import { mapDatabaseErrors } from "../repo/postgres/databaseErrors.ts"
import { dedicatedConnectionLayer } from "../repo/postgres/dedicatedConnection.ts"
import { BackupError } from "./format.ts"
import { type Marked, markRestored, requireStopped } from "./markRestored.ts"
import { findNeededFiles, type NeededFile } from "./neededFiles.ts"
import { type BackupFile, restoreBackup, type Restored } from "./restore.ts"
import { endHold, makeDrafts, planResume, type ResumePlan } from "./resume.ts"
import { currentMigration, type Snapshot, snapshotText } from "./snapshot.ts"
import { findAccounts, findPublished, findTexts, type PlatformAccount } from "./timelines.ts"

/** Writing to the file may be slow, but an open snapshot keeps PostgreSQL from vacuuming. */
const limits = {
  statement: Duration.minutes(5),
  lockWait: Duration.seconds(10),
  idleTransaction: Duration.minutes(10)
}

/** After a restore, publishing is held. */
export class Backups extends Context.Service<
  Backups,
  {
    /** Writes the compressed backup of one consistent snapshot, in constant memory. The service may run. */
    readonly backup: (
      sink: Sink.Sink<void, Uint8Array, unknown, BackupError>
    ) => Effect.Effect<Snapshot, BackupError | DatabaseUnavailable>
    /**
     * Restores a backup into a database without workspaces: all of it, or nothing. Fails if no configured key decrypts
     * the stored credentials, unless `acceptUnreadable`.
     */
    readonly restore: (
      file: BackupFile,
      options: { readonly acceptUnreadable: boolean }
    ) => Effect.Effect<Restored, BackupError | DatabaseUnavailable>
    /** For a database that was restored without `restore`. */
    readonly markRestored: (takenAt: DateTime.Utc) => Effect.Effect<Marked, BackupError | DatabaseUnavailable>
    /** None if publishing is not held. */
    readonly planResume: Effect.Effect<Option.Option<ResumePlan>, DatabaseUnavailable>
    readonly makeDrafts: Effect.Effect<number, DatabaseUnavailable>
    readonly endHold: Effect.Effect<void, DatabaseUnavailable>
    readonly neededFiles: Effect.Effect<ReadonlyArray<NeededFile>, DatabaseUnavailable>
    /** For the comparison with the platforms' timelines after a restore. */
    readonly timelines: {
      readonly accounts: (
        platform: LivePlatform
      ) => Effect.Effect<Effect.Success<ReturnType<typeof findAccounts>>, DatabaseUnavailable>
      readonly published: (
        account: PlatformAccount,
        ids: ReadonlyArray<string>
      ) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
      readonly texts: (account: PlatformAccount) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
    }
  }
>()("social-publisher/backup/Backups") {
  static readonly layer = Layer.effect(
    Backups,
    Effect.gen(function* () {
      const context = yield* Effect.context<PgClient.PgClient | SqlClient.SqlClient | CredentialCipher>()

      const run =
        (operation: string) =>
        <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | CredentialCipher>) =>
          effect.pipe(
            Effect.provide(dedicatedConnectionLayer(limits)),
            Effect.provideContext(context),
            mapDatabaseErrors(operation)
          )

      const migration = Effect.provideContext(currentMigration, context)

      const writeSnapshot = Effect.fnUntraced(
        function* (number: number, sink: Sink.Sink<void, Uint8Array, unknown, BackupError>) {
          const sql = yield* SqlClient.SqlClient
          const snapshot = yield* Ref.make(Option.none<Snapshot>())
          yield* sql.withTransaction(
            withProgress((report) =>
              snapshotText(number, snapshot, report).pipe(
                Stream.encodeText,
                NodeStream.pipeThroughDuplex({
                  evaluate: () => createGzip(),
                  onError: (cause) => new BackupError({ message: `Compressing failed: ${String(cause)}` })
                }),
                Stream.run(sink)
              )
            )
          )
          return yield* Effect.flatMap(Ref.get(snapshot), Effect.fromOption)
        },
        Effect.catchTag("NoSuchElementError", Effect.die)
      )

      const backup: Backups["Service"]["backup"] = (sink) =>
        Effect.flatMap(migration, (number) => writeSnapshot(number, sink)).pipe(run("backing up"))

      const restore: Backups["Service"]["restore"] = (file, { acceptUnreadable }) =>
        Effect.flatMap(migration, (number) => restoreBackup(file, { acceptUnreadable, migration: number })).pipe(
          run("restoring a backup")
        )

      const mark: Backups["Service"]["markRestored"] = Effect.fn("Backups.markRestored")(function* (takenAt) {
        if (DateTime.isGreaterThan(takenAt, yield* DateTime.now)) {
          return yield* new BackupError({ message: "The time at which the backup was taken is in the future" })
        }
        return yield* run("marking a restored database")(Effect.andThen(requireStopped, markRestored(takenAt)))
      })

      return Backups.of({
        backup,
        restore,
        markRestored: mark,
        planResume: run("reading what goes out")(planResume),
        makeDrafts: run("making scheduled posts drafts")(makeDrafts),
        endHold: run("ending the hold")(endHold),
        neededFiles: run("reading which files posts need")(findNeededFiles),
        timelines: {
          accounts: (platform) => run("reading the connected accounts")(findAccounts(platform)),
          published: (account, ids) => run("finding published posts")(findPublished(account, ids)),
          texts: (account) => run("reading what was not published")(findTexts(account))
        }
      })
    })
  )
}
