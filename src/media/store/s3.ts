import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { DateTime, Effect, FileSystem, Layer, Option, Schema, Stream } from "effect"
import { MediaMissing, MediaUnavailable } from "../../domain/errors.ts"
import { MediaStoreId, WorkspaceId } from "../../domain/ids.ts"
import { type BucketError, type BucketOptions, type ListedObject, makeBucket } from "./bucket.ts"
import { orFull } from "./fileErrors.ts"
import { makeTemporaryFiles } from "./temporaryFiles.ts"
import { type ListedFile, MediaStore } from "./MediaStore.ts"
import { type IdentityFile, identityName, makeStoreClaim } from "./storeIdentity.ts"

const decodeId = Schema.decodeUnknownOption(MediaStoreId)
const decodeWorkspaceId = Schema.decodeUnknownOption(WorkspaceId)

const keyOf = (workspaceId: WorkspaceId, hash: string) => `${workspaceId}/${hash.slice(0, 2)}/${hash}`

/** None for objects that are not the store's. */
const fileOf = ({ key, writtenAt }: ListedObject): Option.Option<ListedFile> => {
  const [workspace, prefix, hash = ""] = key.split("/")
  if (!/^[0-9a-f]{64}$/.test(hash) || prefix !== hash.slice(0, 2)) return Option.none()
  return Option.map(Option.all([decodeWorkspaceId(workspace), DateTime.make(writtenAt)]), ([workspaceId, time]) => ({
    workspaceId,
    hash,
    writtenAt: DateTime.toUtc(time)
  }))
}

const unavailable = (operation: string) => (cause: BucketError) => new MediaUnavailable({ operation, cause })

/** `message` is one line for the operator, and names the variable. */
class UnusableBucket extends Schema.TaggedError<UnusableBucket>()("UnusableBucket", { message: Schema.String }) {}

const unusable =
  ({ bucket, endpoint }: BucketOptions) =>
  ({ message, status }: BucketError) => {
    if (status === 404)
      return new UnusableBucket({
        message: `MEDIA_S3_BUCKET: ${endpoint} has no bucket ${bucket}; create it, or name another one`
      })
    return new UnusableBucket({
      message:
        status === 401 || status === 403
          ? `MEDIA_S3_ACCESS_KEY_ID: ${endpoint} refuses it, or MEDIA_S3_SECRET_ACCESS_KEY, for the bucket ${bucket}: ${message}`
          : `MEDIA_S3_ENDPOINT: ${endpoint} can't be used: ${message}`
    })
  }

const makeS3Store = Effect.fnUntraced(function* (options: BucketOptions, localDirectory: string) {
  const files = yield* FileSystem.FileSystem
  const incoming = yield* makeTemporaryFiles(localDirectory)
  const bucket = yield* makeBucket(options)

  const identity: IdentityFile = {
    name: `s3://${options.bucket}`,
    find: Stream.mkString(Stream.decodeText(bucket.read(identityName))).pipe(
      Effect.map((text) => decodeId(text.trim())),
      Effect.catchTags({
        NoSuchObject: () => Effect.succeedNone,
        BucketError: (cause) => Effect.fail(unavailable("reading the store's id")(cause))
      })
    ),
    // If the service ignores the condition, and two processes write the first id together, the later id stays.
    create: (id) =>
      bucket.put(identityName, new TextEncoder().encode(`${id}\n`), { "if-none-match": "*" }).pipe(
        Effect.asVoid,
        Effect.catchIf(
          ({ status }) => status === 412,
          () => Effect.void
        ),
        Effect.mapError(unavailable("writing the store's id"))
      ),
    hasFiles: bucket.listPage().pipe(
      Effect.map(({ objects }) => objects.some((object) => Option.isSome(fileOf(object)))),
      Effect.mapError(unavailable("listing files"))
    )
  }

  yield* Effect.mapError(bucket.listPage(), unusable(options))
  const { claim } = yield* makeStoreClaim(identity)

  const write: MediaStore["Service"]["write"] = Effect.fn("MediaStore.write")(function* (workspaceId, bytes, register) {
    yield* claim
    const { path, ...file } = yield* incoming.receive(bytes)
    if (register !== undefined) yield* register(file)
    yield* bucket.putFile(keyOf(workspaceId, file.hash), path, file.size).pipe(
      Effect.provideService(FileSystem.FileSystem, files),
      Effect.catchTag("BucketError", (cause) => Effect.fail(unavailable("placing a file")(cause))),
      orFull("placing a file")
    )
    return file
  }, Effect.scoped)

  const has: MediaStore["Service"]["has"] = (workspaceId, hash) =>
    Effect.mapError(bucket.has(keyOf(workspaceId, hash)), unavailable("looking for a file"))

  const read: MediaStore["Service"]["read"] = (workspaceId, hash, range) =>
    bucket
      .read(keyOf(workspaceId, hash), range)
      .pipe(
        Stream.mapError((error) =>
          error._tag === "NoSuchObject" ? new MediaMissing({ hash }) : unavailable("reading a file")(error)
        )
      )

  const localCopy: MediaStore["Service"]["localCopy"] = Effect.fnUntraced(function* (workspaceId, hash) {
    const { path } = yield* incoming.receive(read(workspaceId, hash))
    return path
  })

  const remove: MediaStore["Service"]["remove"] = (workspaceId, hash) =>
    Effect.mapError(bucket.remove(keyOf(workspaceId, hash)), unavailable("removing a file"))

  const list = bucket.list.pipe(
    Stream.map(fileOf),
    Stream.filter(Option.isSome),
    Stream.map(({ value }) => value),
    Stream.mapError(unavailable("listing files"))
  )

  const { removeStale, requireSpace } = incoming
  return MediaStore.of({ write, read, localCopy, has, list, remove, removeStale, requireSpace })
})

/**
 * Bytes are first written to a local directory, because their address is their hash, and then sent. A crash can leave
 * partial uploads in the bucket, which the bucket's own rules should remove.
 */
export const s3StoreLayer = (options: BucketOptions, localDirectory: string) =>
  Layer.effect(MediaStore, makeS3Store(options, localDirectory)).pipe(
    Layer.provide([NodeFileSystem.layer, NodePath.layer])
  )
