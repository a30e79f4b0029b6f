import type { Duration, Effect, Option } from "effect"
import type {
  DatabaseUnavailable,
  InvalidState,
  MediaClaimLost,
  MediaQuotaExceeded,
  NotFound,
  NotOwnMedia,
  TooManyUploads
} from "../../domain/errors.ts"
import type { ApiKeyId, ClaimToken, MediaId, MediaStoreId, WorkspaceId } from "../../domain/ids.ts"
import type { LibraryFile } from "../../domain/media/libraryFile.ts"
import type { MediaFacts, Renditions } from "../../domain/media/media.ts"
import type { Author } from "../../domain/people/actor.ts"

export interface ReceivedBytes {
  /** SHA-256, in hexadecimal. */
  readonly hash: string
  readonly size: number
  readonly contentType: string
}

export interface NewFile {
  readonly alt: string
  readonly creator: Author
}

/** The files to claim; by default all. */
export interface ClaimChoice {
  /** The workspaces that this process served, the latest one last. */
  readonly served?: ReadonlyArray<WorkspaceId>
  /** Small files have up to `maxSmallBytes` bytes, and are none of `large`. */
  readonly lane?: {
    readonly isSmall: boolean
    readonly maxSmallBytes: number
    readonly large: ReadonlyArray<MediaId>
  }
}

export interface ClaimedFile {
  readonly id: MediaId
  readonly workspaceId: WorkspaceId
  readonly token: ClaimToken
  /** Includes this attempt. */
  readonly attempts: number
  readonly step:
    | { readonly _tag: "Fetch"; readonly url: string }
    | { readonly _tag: "Process"; readonly hash: string; readonly contentType: string; readonly size: number }
}

/** `token` is null for an upload. */
export interface ArrivingFile extends Pick<ClaimedFile, "id" | "workspaceId"> {
  readonly token: ClaimToken | null
}

export interface FileError {
  readonly code: string
  readonly message: string
}

export interface FileQuery {
  readonly limit: number
  readonly before: MediaId | null
}

export interface Address {
  readonly workspaceId: WorkspaceId
  readonly hash: string
}

export interface RemovedFile {
  readonly id: MediaId
  readonly workspaceId: WorkspaceId
  readonly hashes: ReadonlyArray<string>
}

/** Leases and retention use the process's clock. */
export interface Media {
  readonly findStoreId: Effect.Effect<Option.Option<MediaStoreId>, DatabaseUnavailable>
  /** Returns the id of the database's store. If it had none, stores `id`. */
  readonly claimStoreId: (id: MediaStoreId) => Effect.Effect<MediaStoreId, DatabaseUnavailable>

  /**
   * The upload counts as `size` bytes until they arrive or more are reserved. Its row is removed after `lease` without
   * a renewal.
   */
  readonly beginUpload: (
    workspaceId: WorkspaceId,
    file: NewFile,
    options: { readonly size: number; readonly quota: number; readonly lease: Duration.Duration }
  ) => Effect.Effect<MediaId, MediaQuotaExceeded | TooManyUploads | DatabaseUnavailable>
  readonly renewUploadLease: (
    workspaceId: WorkspaceId,
    id: MediaId,
    lease: Duration.Duration
  ) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  readonly endUpload: (
    workspaceId: WorkspaceId,
    id: MediaId,
    received: ReceivedBytes & { readonly alt: string | null }
  ) => Effect.Effect<LibraryFile, MediaClaimLost | DatabaseUnavailable>
  /** Returns the row, which the caller removes together with its bytes. */
  readonly abandonUpload: (
    workspaceId: WorkspaceId,
    id: MediaId
  ) => Effect.Effect<Option.Option<RemovedFile>, DatabaseUnavailable>
  readonly addFromUrl: (
    workspaceId: WorkspaceId,
    file: NewFile & { readonly url: string },
    quota: number
  ) => Effect.Effect<LibraryFile, MediaQuotaExceeded | TooManyUploads | DatabaseUnavailable>

  /** Call it before the bytes are stored. */
  readonly keep: (address: Address, id: MediaId) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  /** No file or post can begin to keep the bytes while `remove` runs. Returns true if it ran. */
  readonly removeUnlessKept: <E, R>(
    address: Address,
    remove: Effect.Effect<void, E, R>
  ) => Effect.Effect<boolean, E | DatabaseUnavailable, R>
  readonly findUnkept: (addresses: ReadonlyArray<Address>) => Effect.Effect<ReadonlyArray<Address>, DatabaseUnavailable>

  /** Counts the picture in the quota, and keeps it for a post that is about to be stored. */
  readonly keepCardPicture: (
    workspaceId: WorkspaceId,
    picture: { readonly hash: string; readonly size: number },
    quota: number
  ) => Effect.Effect<void, MediaQuotaExceeded | DatabaseUnavailable>
  /**
   * Adds missing rows of shown pictures, which are from the previous version or a backup. Returns the last picture
   * checked; null at the end.
   */
  readonly countCardPictures: (
    after: Address | null,
    limit: number
  ) => Effect.Effect<Address | null, DatabaseUnavailable>
  /** Lists expired pictures, which a post may still need. */
  readonly expiredCardPictures: (
    limit: number,
    skipped: number
  ) => Effect.Effect<ReadonlyArray<Address>, DatabaseUnavailable>
  /** Removes a picture from its cards and the quota, unless a post that has not ended needs it. True if removed. */
  readonly forgetCardPicture: (picture: Address) => Effect.Effect<boolean, DatabaseUnavailable>

  /**
   * Claims the first file of the workspace that was served longest ago, with at most one fetch per workspace at a time.
   */
  readonly claim: (
    step: ClaimedFile["step"]["_tag"],
    lease: Duration.Duration,
    choice?: ClaimChoice
  ) => Effect.Effect<Option.Option<ClaimedFile>, DatabaseUnavailable>
  /** Returns the bytes that the file now counts as, from `least` to `most`. Fails if there is less room. */
  readonly reserve: (
    file: ArrivingFile,
    size: { readonly least: number; readonly most: number },
    quota: number
  ) => Effect.Effect<number, MediaQuotaExceeded | MediaClaimLost | DatabaseUnavailable>
  readonly renewLease: (
    file: ClaimedFile,
    lease: Duration.Duration
  ) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  readonly settleFetched: (
    file: ClaimedFile,
    received: ReceivedBytes
  ) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  readonly settleReady: (
    file: ClaimedFile,
    facts: MediaFacts,
    renditions: Renditions
  ) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  readonly settleFailed: (
    file: ClaimedFile,
    error: FileError
  ) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  /** The step is due again after `wait`. `counts` is false for an attempt that did not begin. */
  readonly release: (
    file: ClaimedFile,
    options: { readonly wait: Duration.Duration; readonly counts: boolean }
  ) => Effect.Effect<void, DatabaseUnavailable>

  readonly get: (workspaceId: WorkspaceId, id: MediaId) => Effect.Effect<LibraryFile, NotFound | DatabaseUnavailable>
  /** Newest first. */
  readonly list: (
    workspaceId: WorkspaceId,
    query: FileQuery
  ) => Effect.Effect<ReadonlyArray<LibraryFile>, DatabaseUnavailable>
  readonly locate: (
    workspaceId: WorkspaceId,
    id: MediaId
  ) => Effect.Effect<
    { readonly original: ReceivedBytes | null; readonly renditions: Renditions },
    NotFound | DatabaseUnavailable
  >
  /** Posts keep their own alternative text. */
  readonly setAlt: (
    workspaceId: WorkspaceId,
    id: MediaId,
    alt: string,
    /** If given, one of these keys must have created the file. */
    keys?: ReadonlyArray<ApiKeyId> | null
  ) => Effect.Effect<LibraryFile, NotFound | NotOwnMedia | DatabaseUnavailable>
  /** No post can use the file afterward. Fails while a post that has not ended uses it. */
  readonly remove: (
    workspaceId: WorkspaceId,
    id: MediaId,
    keys?: ReadonlyArray<ApiKeyId> | null
  ) => Effect.Effect<RemovedFile, NotFound | NotOwnMedia | InvalidState | DatabaseUnavailable>

  readonly extendNeeded: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /** Includes uploads cut off by a crash. */
  readonly markExpired: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /** In the order of ids, after `after`. */
  readonly findRemoved: (
    after: MediaId | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<RemovedFile>, DatabaseUnavailable>
  readonly forget: (workspaceId: WorkspaceId, id: MediaId) => Effect.Effect<void, DatabaseUnavailable>
}
