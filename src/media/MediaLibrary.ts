import { Context, Duration, Effect, Exit, Layer, Option, Queue, Stream } from "effect"
import {
  type DatabaseUnavailable,
  type InvalidState,
  type MediaClaimLost,
  type MediaQuotaExceeded,
  type MediaStoreFull,
  MediaTooLarge,
  type MediaUnavailable,
  type MediaUnsupported,
  type NotFound,
  type NotOwnMedia,
  type TooManyUploads
} from "../domain/errors.ts"
import type { ApiKeyId, MediaId, WorkspaceId } from "../domain/ids.ts"
import type { LibraryFile } from "../domain/media/libraryFile.ts"
import type { Authority } from "../domain/people/authority.ts"
import type { ClaimedFile, NewFile } from "../repo/media/Media.ts"
import type { AuthorityError } from "../repo/people/authority.ts"
import { Repo } from "../repo/Repo.ts"
import { maxVideoBytes } from "../domain/plain/limits.ts"
import { MediaStore, type StoredFile } from "./store/MediaStore.ts"
import { storeFile } from "./receive/storeFile.ts"
import { reserveQuota } from "./receive/reserveQuota.ts"
import { removeFile } from "./retention.ts"

/** The row of an upload expires after this time unless its process renews it. */
const lease = Duration.minutes(2)
const renewInterval = Duration.seconds(30)

/** A multipart body may have this much in addition to its file. */
const envelopeBytes = 1_000_000

type StepKind = ClaimedFile["step"]["_tag"]

export interface Upload<E, R> {
  readonly bytes: Stream.Stream<Uint8Array, E, R>
  /** The whole body's size; undefined if the sender declared none. */
  readonly declaredSize: number | undefined
  readonly alt: Effect.Effect<string | null>
}

type UploadError =
  | MediaQuotaExceeded
  | TooManyUploads
  | MediaUnsupported
  | MediaTooLarge
  | MediaStoreFull
  | MediaUnavailable
  | MediaClaimLost
  | AuthorityError
  | DatabaseUnavailable

export class MediaLibrary extends Context.Service<
  MediaLibrary,
  {
    /** Nothing remains if this fails, is interrupted, or the sender loses the right to upload. */
    readonly upload: <E, R>(by: Authority, upload: Upload<E, R>) => Effect.Effect<LibraryFile, E | UploadError, R>
    /** The file is fetched in the background. */
    readonly addFromUrl: (
      by: Authority,
      file: Omit<NewFile, "creator"> & { readonly url: string }
    ) => Effect.Effect<
      LibraryFile,
      MediaQuotaExceeded | TooManyUploads | MediaStoreFull | MediaUnavailable | AuthorityError | DatabaseUnavailable
    >
    /** Respects the quota and the disk's space. The picture is removed after its post is finished. */
    readonly storeCardPicture: (
      workspaceId: WorkspaceId,
      bytes: Uint8Array
    ) => Effect.Effect<StoredFile, MediaQuotaExceeded | MediaStoreFull | MediaUnavailable | DatabaseUnavailable>
    /** With `keys`, removes only a file that one of these keys created. */
    readonly remove: (
      workspaceId: WorkspaceId,
      id: MediaId,
      by?: Authority,
      keys?: ReadonlyArray<ApiKeyId> | null
    ) => Effect.Effect<void, NotFound | NotOwnMedia | InvalidState | AuthorityError | DatabaseUnavailable>
    readonly setAlt: (
      by: Authority,
      id: MediaId,
      alt: string,
      keys?: ReadonlyArray<ApiKeyId> | null
    ) => Effect.Effect<LibraryFile, NotFound | NotOwnMedia | AuthorityError | DatabaseUnavailable>
    /** Announces a step of this kind to `added` in this process, once for each lane. */
    readonly announce: (step: StepKind) => Effect.Effect<void>
    readonly added: (step: StepKind, isSmall?: boolean) => Effect.Effect<void>
    /** In bytes per workspace. */
    readonly quota: number
  }
>()("social-publisher/media/MediaLibrary") {
  static readonly layer = (quota: number) =>
    Layer.effect(
      MediaLibrary,
      Effect.gen(function* () {
        const context = yield* Effect.context<MediaStore | Repo>()
        const { media, transaction, whileAuthorized } = yield* Repo
        const store = yield* MediaStore
        const additions = { Fetch: yield* Queue.sliding<void>(1), Process: yield* Queue.sliding<void>(1) }
        const smallAdditions = yield* Queue.sliding<void>(1)
        const announce = (step: StepKind) =>
          Effect.all([
            Queue.offer(additions[step], undefined),
            step === "Process" ? Queue.offer(smallAdditions, undefined) : Effect.void
          ]).pipe(Effect.asVoid)

        /**
         * Commits a change only if its author still has the right to it. The change runs first, because it locks the
         * workspace, which must be locked before the author's right.
         */
        const authorized = <A, E>(by: Authority | undefined, change: Effect.Effect<A, E>) =>
          by === undefined ? change : transaction(Effect.tap(change, whileAuthorized(by, Effect.void)))

        const keepAlive = (workspaceId: WorkspaceId, id: MediaId) =>
          media.renewUploadLease(workspaceId, id, lease).pipe(
            Effect.catchTag("DatabaseUnavailable", (error) => Effect.logDebug("An upload could not be renewed", error)),
            Effect.delay(renewInterval),
            Effect.forever
          )

        /** If this fails, the first sweep after the lease's end does the same. */
        const abandon = (workspaceId: WorkspaceId, id: MediaId) =>
          media
            .abandonUpload(workspaceId, id)
            .pipe(
              Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: removeFile })),
              Effect.ignore({ log: "Debug" }),
              Effect.provideContext(context)
            )

        const upload = Effect.fn("MediaLibrary.upload")(function* <E, R>(
          by: Authority,
          { alt, bytes, declaredSize = 0 }: Upload<E, R>
        ) {
          if (declaredSize > maxVideoBytes + envelopeBytes) {
            return yield* new MediaTooLarge({ message: `Files may have up to ${maxVideoBytes / 1e6} MB` })
          }
          yield* store.requireSpace
          const { author: creator, workspaceId } = by
          const declared = Math.min(declaredSize, maxVideoBytes)
          const file = yield* Effect.acquireUseRelease(
            media.beginUpload(workspaceId, { alt: "", creator }, { size: declared, quota, lease }),
            (id) =>
              storeFile(
                workspaceId,
                id,
                reserveQuota({ workspaceId, id, token: null }, { declared, quota }, bytes)
              ).pipe(
                Effect.raceFirst(keepAlive(workspaceId, id)),
                Effect.flatMap((received) =>
                  Effect.flatMap(alt, (text) =>
                    authorized(by, media.endUpload(workspaceId, id, { ...received, alt: text }))
                  )
                ),
                Effect.provideContext(context)
              ),
            (id, exit) => (Exit.isSuccess(exit) ? Effect.void : abandon(workspaceId, id))
          )
          yield* announce("Process")
          return file
        })

        const addFromUrl: MediaLibrary["Service"]["addFromUrl"] = Effect.fn("MediaLibrary.addFromUrl")(
          function* (by, file) {
            yield* store.requireSpace
            const adding = media.addFromUrl(by.workspaceId, { ...file, creator: by.author }, quota)
            return yield* Effect.tap(authorized(by, adding), announce("Fetch"))
          }
        )

        const storeCardPicture: MediaLibrary["Service"]["storeCardPicture"] = Effect.fn(
          "MediaLibrary.storeCardPicture"
        )(function* (workspaceId, bytes) {
          yield* store.requireSpace
          return yield* store.write(workspaceId, Stream.make(bytes), (picture) =>
            media.keepCardPicture(workspaceId, picture, quota)
          )
        })

        const remove: MediaLibrary["Service"]["remove"] = Effect.fn("MediaLibrary.remove")(
          function* (workspaceId, id, by, keys) {
            const removed = yield* authorized(by, media.remove(workspaceId, id, keys))
            // If this fails, the next sweep removes the file.
            yield* removeFile(removed).pipe(Effect.ignore({ log: "Debug" }), Effect.provideContext(context))
          }
        )

        const setAlt: MediaLibrary["Service"]["setAlt"] = (by, id, alt, keys) =>
          authorized(by, media.setAlt(by.workspaceId, id, alt, keys))

        return MediaLibrary.of({
          upload,
          addFromUrl,
          storeCardPicture,
          remove,
          setAlt,
          announce,
          added: (step, isSmall = false) => Queue.take(isSmall ? smallAdditions : additions[step]),
          quota
        })
      })
    )
}
