import { Console, DateTime, Effect, type Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Backups } from "../backup/Backups.ts"
import { counted } from "../domain/counted.ts"
import { Instant } from "../domain/instant.ts"
import { readBackupFile, writeBackupFile } from "./backupFile.ts"
import { flagOf, json, toggle } from "./input.ts"
import type { MediaStore } from "../media/store/MediaStore.ts"
import { findPostsWithoutMedia, noteMissingMedia } from "./missingMedia.ts"
import { printRecord } from "./output.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The backup's file; - is standard input or output"))

/** Notes go to standard error, because standard output may be JSON. */
const note = (text: string) => Console.error(text)

const noteAfterRestore = Effect.fnUntraced(function* (takenAt: DateTime.Utc) {
  const time = DateTime.formatIso(takenAt)
  yield* note(`
Publishing is on hold: the database does not know what went out since ${time}. Start the service and look around, then run
the command resume. Posts that were not published by then are looked up on their platforms before they are sent.

Everything since ${time} is lost: posts, edits, deletions, approvals. API keys that were revoked since are valid again, and
accounts that were disconnected since are connected again: check key list and integration list. Passwords are as they were.
Accounts whose access was renewed since may have to be connected again, on X nearly all.`)
})

export const backup = Command.make(
  "backup",
  { file, json },
  Effect.fn(function* (input) {
    const backups = yield* Backups
    const { rows, takenAt } = yield* writeBackupFile(input.file, (sink) => backups.backup(sink))
    const record = { file: input.file, taken_at: takenAt, rows }
    yield* input.file === "-"
      ? note(`Backed up ${counted(rows, "row")} at ${DateTime.formatIso(takenAt)}`)
      : printRecord(input.json, record)
    yield* note(
      "The backup does not contain the encryption key. Without the key, every account has to be connected again. Keep ENCRYPTION_KEY, or the file encryption-key in DATA_DIR, in another place. It does contain hashes of passwords and keys, and all texts."
    )
  })
).pipe(Command.withDescription("Write a backup of the database; the service may be running"))

export const restore = <E extends { readonly message: string }, R>(storeLayer: Layer.Layer<MediaStore, E, R>) =>
  Command.make(
    "restore",
    {
      file,
      withoutKey: toggle(
        "without-key",
        "Restore even if no encryption key decrypts the credentials; those accounts have to be connected again"
      ),
      json
    },
    Effect.fn(function* (input) {
      const backups = yield* Backups
      const backupFile = yield* readBackupFile(input.file)
      const restored = yield* backups.restore(backupFile, { acceptUnreadable: input.withoutKey })
      const withoutMedia = yield* findPostsWithoutMedia(storeLayer)
      yield* printRecord(input.json, {
        taken_at: restored.takenAt,
        rows: restored.rows,
        open_targets: restored.openTargets,
        accounts_without_credentials: restored.unreadableAccounts,
        posts_without_media: withoutMedia,
        publishing: "held"
      })
      yield* noteAfterRestore(restored.takenAt)
      yield* noteMissingMedia(withoutMedia)
    })
  ).pipe(Command.withDescription("Restore a backup into an empty database, and put publishing on hold"))

export const markRestored = Command.make(
  "mark-restored",
  {
    takenAt: flagOf("taken-at", Instant).pipe(
      Flag.withDescription(
        "The time that the database was restored to, such as 2030-01-31T09:00:00Z. An earlier time is safer than a later one"
      )
    ),
    json
  },
  Effect.fn(function* (input) {
    const backups = yield* Backups
    // Prints the stored time: if publishing was already on hold, the earlier of the two times is kept.
    const { openTargets, takenAt } = yield* backups.markRestored(input.takenAt)
    yield* printRecord(input.json, { taken_at: takenAt, open_targets: openTargets, publishing: "held" })
    yield* noteAfterRestore(takenAt)
  })
).pipe(Command.withDescription("Put publishing on hold after the database was restored with its provider's own tools"))
