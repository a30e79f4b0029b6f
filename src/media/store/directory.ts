import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Array, DateTime, Effect, FileSystem, Layer, Option, Path, Schema, Stream } from "effect"
import { MediaMissing, MediaUnavailable } from "../../domain/errors.ts"
import { MediaStoreId, WorkspaceId } from "../../domain/ids.ts"
import { orFull, orUnavailable } from "./fileErrors.ts"
import { directoryMode, fileMode, makeTemporaryFiles } from "./temporaryFiles.ts"
import { type ListedFile, MediaStore } from "./MediaStore.ts"
import { type IdentityFile, identityName, makeStoreClaim } from "./storeIdentity.ts"

const chunkSize = 256 * 1024

const isWorkspaceId = Schema.is(WorkspaceId)
const isHash = (name: string) => /^[0-9a-f]{64}$/.test(name)
const decodeId = Schema.decodeUnknownOption(MediaStoreId)

const makeDirectoryStore = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const { dirname, join } = yield* Path.Path
  const incoming = yield* makeTemporaryFiles(directory)

  const pathOf = (workspaceId: WorkspaceId, hash: string) => join(directory, workspaceId, hash.slice(0, 2), hash)

  const readNames = (path: string) =>
    files.readDirectory(path).pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed([])))

  /** A directory's entries are on disk only after a sync of the directory. */
  const sync = (path: string) => Effect.scoped(Effect.flatMap(files.open(path, { flag: "r" }), (file) => file.sync))

  const makeDirectory = Effect.fnUntraced(function* (path: string) {
    if (yield* files.exists(path)) return
    yield* files.makeDirectory(path, { recursive: true, mode: directoryMode })
    yield* sync(dirname(path))
    yield* sync(dirname(dirname(path)))
  })

  const identityPath = join(directory, identityName)
  const identity: IdentityFile = {
    name: directory,
    find: files.readFileString(identityPath).pipe(
      Effect.map((text) => decodeId(text.trim())),
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeedNone),
      orUnavailable("reading the store's id")
    ),
    create: (id) =>
      Effect.andThen(
        makeDirectory(directory),
        files.writeFileString(identityPath, `${id}\n`, { flag: "wx", mode: fileMode })
      ).pipe(
        Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.void),
        orUnavailable("writing the store's id")
      ),
    hasFiles: Effect.map(readNames(directory), (names) => names.some((name) => isWorkspaceId(name))).pipe(
      orUnavailable("listing files")
    )
  }

  const { claim } = yield* makeStoreClaim(identity)

  const write: MediaStore["Service"]["write"] = Effect.fn("MediaStore.write")(function* (workspaceId, bytes, register) {
    yield* claim
    const { path, ...file } = yield* incoming.receive(bytes)
    if (register !== undefined) yield* register(file)
    const address = pathOf(workspaceId, file.hash)
    yield* makeDirectory(dirname(address)).pipe(
      Effect.andThen(files.rename(path, address)),
      Effect.andThen(sync(dirname(address))),
      orFull("placing a file")
    )
    return file
  }, Effect.scoped)

  const has: MediaStore["Service"]["has"] = (workspaceId, hash) =>
    orUnavailable("looking for a file")(files.exists(pathOf(workspaceId, hash)))

  const read: MediaStore["Service"]["read"] = (workspaceId, hash, range) =>
    files
      .stream(pathOf(workspaceId, hash), {
        chunkSize,
        ...(range && { offset: BigInt(range.offset), bytesToRead: BigInt(range.length) })
      })
      .pipe(
        Stream.mapError((cause) =>
          cause.reason._tag === "NotFound"
            ? new MediaMissing({ hash })
            : new MediaUnavailable({ operation: "reading a file", cause })
        )
      )

  const localCopy: MediaStore["Service"]["localCopy"] = Effect.fnUntraced(function* (workspaceId, hash) {
    if (!(yield* has(workspaceId, hash))) return yield* new MediaMissing({ hash })
    return pathOf(workspaceId, hash)
  })

  const listPrefix = Effect.fnUntraced(function* (workspaceId: WorkspaceId, prefix: string) {
    const names = yield* readNames(join(directory, workspaceId, prefix))
    const listed = yield* Effect.forEach(names.filter(isHash), (hash) =>
      files.stat(pathOf(workspaceId, hash)).pipe(
        Effect.map(({ mtime }) =>
          Option.map(mtime, (time): ListedFile => ({ workspaceId, hash, writtenAt: DateTime.fromDateUnsafe(time) }))
        ),
        Effect.catchReason("PlatformError", "NotFound", () => Effect.succeedNone)
      )
    )
    return Array.getSomes(listed)
  })

  const list = Stream.fromIterableEffect(readNames(directory)).pipe(
    Stream.filter(isWorkspaceId),
    Stream.flatMap((workspaceId) =>
      Stream.fromIterableEffect(readNames(join(directory, workspaceId))).pipe(
        Stream.mapEffect((prefix) => listPrefix(workspaceId, prefix))
      )
    ),
    Stream.flattenIterable,
    Stream.mapError((cause) => new MediaUnavailable({ operation: "listing files", cause }))
  )

  const remove: MediaStore["Service"]["remove"] = (workspaceId, hash) =>
    orUnavailable("removing a file")(files.remove(pathOf(workspaceId, hash), { force: true }))

  const { removeStale, requireSpace } = incoming
  return MediaStore.of({ write, read, localCopy, has, list, remove, removeStale, requireSpace })
})

export const directoryStoreLayer = (
  directory: string,
  fileSystem: Layer.Layer<FileSystem.FileSystem> = NodeFileSystem.layer
) => Layer.effect(MediaStore, makeDirectoryStore(directory)).pipe(Layer.provide([fileSystem, NodePath.layer]))
