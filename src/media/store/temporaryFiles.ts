import { type DateTime, Effect, FileSystem, Option, Path, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { createHash } from "node:crypto"
import { requireDiskSpace } from "./diskSpace.ts"
import { orFull, orUnavailable } from "./fileErrors.ts"

/** The disk's space is measured again after this many bytes. */
const measuredBytes = 64e6

/** Readable by the service alone. */
export const fileMode = 0o600
export const directoryMode = 0o700

export const makeTemporaryFiles = Effect.fnUntraced(function* (mediaDirectory: string) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const directory = join(mediaDirectory, "incoming")

  const make = files
    .makeDirectory(directory, { recursive: true, mode: directoryMode })
    .pipe(orFull("making a directory"))

  const temporaryPath = Effect.acquireRelease(
    Effect.andThen(
      make,
      Effect.sync(() => join(directory, SecureRandom.uuidV4Unsafe()))
    ),
    // Leftovers are removed as stale later.
    (path) => Effect.ignore(files.remove(path, { recursive: true, force: true }))
  )

  const requireSpace = Effect.andThen(make, requireDiskSpace(directory))

  /**
   * Writes bytes as fast as they arrive. The file is on disk once they are complete, and is removed when the scope
   * closes.
   */
  const receive = Effect.fnUntraced(function* <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) {
    const path = yield* temporaryPath
    const hash = createHash("sha256")
    let size = 0
    let unmeasured = 0
    yield* Effect.scoped(
      Effect.gen(function* () {
        const file = yield* orFull("creating a file")(files.open(path, { flag: "wx", mode: fileMode }))
        yield* Stream.runForEach(bytes, (chunk) => {
          hash.update(chunk)
          size += chunk.length
          unmeasured += chunk.length
          const write = orFull("writing a file")(file.writeAll(chunk))
          if (unmeasured < measuredBytes) return write
          unmeasured = 0
          return Effect.andThen(requireSpace, write)
        })
        yield* orFull("writing a file")(file.sync)
      })
    )
    return { path, hash: hash.digest("hex"), size }
  })

  /** Removes files last written before this time: no request waits that long for its client. */
  const removeStale = Effect.fnUntraced(function* (before: DateTime.Utc) {
    if (!(yield* files.exists(directory))) return
    const names = yield* files.readDirectory(directory)
    yield* Effect.forEach(names, (name) => {
      const path = join(directory, name)
      return Effect.flatMap(files.stat(path), ({ mtime }) =>
        Option.exists(mtime, (time) => time.getTime() < before.epochMilliseconds)
          ? files.remove(path, { recursive: true, force: true })
          : Effect.void
      ).pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.void))
    })
  }, orUnavailable("removing stale files"))

  return { receive, temporaryPath, removeStale, requireSpace }
})
