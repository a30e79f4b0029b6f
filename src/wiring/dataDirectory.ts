import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Effect, FileSystem, Path, type PlatformError } from "effect"
import { type Configuration, ConfigurationError } from "../config.ts"

/**
 * If root runs the service, PostgreSQL's user must be able to pass through the directory. The content has its own
 * permissions.
 */
const mode = process.getuid?.() === 0 ? 0o711 : 0o700

/** Makes one directory at a time: if the system refuses one, as under /proc, Node's recursive mkdir never ends. */
const make: (directory: string) => Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> =
  Effect.fnUntraced(function* (directory) {
    const files = yield* FileSystem.FileSystem
    const { dirname } = yield* Path.Path
    if (yield* files.exists(directory)) return
    const parent = dirname(directory)
    if (parent !== directory) yield* make(parent)
    // Another process may create it at the same time.
    yield* Effect.catchReason(
      files.makeDirectory(directory, { mode }),
      "PlatformError",
      "AlreadyExists",
      () => Effect.void
    )
  })

const describe = ({ message, reason }: PlatformError.PlatformError): string =>
  reason.cause instanceof Error ? reason.cause.message : message

export const makeDataDirectory = Effect.fnUntraced(
  function* ({ dataDir }: Configuration) {
    const files = yield* FileSystem.FileSystem
    const { resolve } = yield* Path.Path
    const refuse = (reason: string) => new ConfigurationError({ message: `DATA_DIR: ${dataDir}: ${reason}` })
    const info = yield* make(resolve(dataDir)).pipe(
      Effect.andThen(files.stat(dataDir)),
      Effect.mapError((error) => refuse(describe(error)))
    )
    if (info.type !== "Directory") return yield* refuse("is not a directory")
  },
  Effect.provide([NodeFileSystem.layer, NodePath.layer])
)
