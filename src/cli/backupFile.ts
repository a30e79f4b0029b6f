import { Effect, Exit, FileSystem, Option, type PlatformError, Sink, Stdio, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { BackupError } from "../backup/format.ts"

const standard = "-"

/** The message of the innermost cause, such as a full disk. */
const rootMessage = (error: { readonly message: string; readonly cause?: unknown }): string =>
  error.cause instanceof Error ? rootMessage(error.cause) : error.message

const failed = (action: string, file: string) => (error: PlatformError.PlatformError) =>
  new BackupError({
    message: `${file === standard ? "The backup" : file} can't be ${action}: ${rootMessage(error)}`
  })

type BackupSink = Sink.Sink<void, Uint8Array, unknown, BackupError>

const toStandardOutput = Effect.fnUntraced(function* <A, E, R>(write: (sink: BackupSink) => Effect.Effect<A, E, R>) {
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdoutIsTerminal) {
    return yield* new BackupError({ message: "A backup is not written to a terminal; redirect it, or name a file" })
  }
  return yield* write(Sink.mapError(stdio.stdout({ endOnDone: false }), failed("written", standard)))
})

/**
 * Writes a backup that only its owner can read. The file gets its name once it is complete and on disk. Until then, an
 * existing file of that name stays.
 */
export const writeBackupFile = Effect.fnUntraced(function* <A, E, R>(
  file: string,
  write: (sink: BackupSink) => Effect.Effect<A, E, R>
) {
  if (file === standard) return yield* toStandardOutput(write)
  const files = yield* FileSystem.FileSystem
  const random = yield* SecureRandom.SecureRandom
  const draft = `${file}.${yield* random.uuidV4()}`
  const orFail = Effect.mapError(failed("written", file))
  const inScope = Effect.gen(function* () {
    const opened = yield* orFail(files.open(draft, { flag: "wx", mode: 0o600 }))
    const written = yield* write(Sink.forEach((bytes: Uint8Array) => orFail(opened.writeAll(bytes))))
    yield* orFail(opened.sync)
    return written
  })
  return yield* Effect.scoped(inScope).pipe(
    Effect.tap(() => orFail(files.rename(draft, file))),
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(files.remove(draft))))
  )
})

export const readBackupFile = Effect.fnUntraced(function* (file: string) {
  const { stdin } = yield* Stdio.Stdio
  const files = yield* FileSystem.FileSystem
  const isStandard = file === standard
  const info = isStandard ? Option.none() : yield* Effect.option(files.stat(file))
  return {
    bytes: Stream.mapError(isStandard ? stdin : files.stream(file), failed("read", file)),
    size: Option.match(info, {
      onNone: () => null,
      onSome: ({ size, type }) => (type === "File" ? Number(size) : null)
    })
  }
})
