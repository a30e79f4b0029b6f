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

/** Bytes that arrived. */
export interface ReceivedBytes {
  /** SHA-256, in hexadecimal. */
  readonly hash: string
  readonly size: number
  readonly contentType: string
}

/** A file to add to the library. */
export interface NewFile {
  readonly alt: string
  readonly creator: Author
}

/** A file whose next step this process takes. */
export interface ClaimedFile {
  readonly id: MediaId
  readonly workspaceId: WorkspaceId
  readonly token: ClaimToken
  /** Steps that began, this one included. */
  readonly attempts: number
  readonly step:
    | { readonly _tag: "Fetch"; readonly url: string }
    | { readonly _tag: "Process"; readonly hash: string; readonly contentType: string; readonly size: number }
}

/** A file whose bytes arrive: of an upload, which has no claim, or of a fetch. */
export interface ArrivingFile extends Pick<ClaimedFile, "id" | "workspaceId"> {
  readonly token: ClaimToken | null
}

/** Why a file failed, for people and programs. */
export interface FileError {
  readonly code: string
  readonly message: string
}

export interface FileQuery {
  readonly limit: number
  /** Keyset pagination: only files older than this one. */
  readonly before: MediaId | null
}

/** Bytes in the store that a file of the library may keep. */
export interface Address {
  readonly workspaceId: WorkspaceId
  readonly hash: string
}

/** A file whose bytes and row are to be removed. */
export interface RemovedFile {
  readonly id: MediaId
  readonly workspaceId: WorkspaceId
  readonly hashes: ReadonlyArray<string>
}

/** The library of media. Times of leases and retention are by the process's clock. */
export interface Media {
  /** The store that holds the files of this database; none before its first file. */
  readonly findStoreId: Effect.Effect<Option.Option<MediaStoreId>, DatabaseUnavailable>
  /** Makes a store that of this database, unless it has one, and returns the one that it has then. */
  readonly claimStoreId: (id: MediaStoreId) => Effect.Effect<MediaStoreId, DatabaseUnavailable>

  /**
   * Begins an upload, which counts as `size` bytes until they have arrived or more are reserved. Its row is removed once `lease` has passed without a
   * renewal. Fails where the quota has no room or the workspace has as many uploads as it may.
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
  /** The upload ended well: its file is processed next. */
  readonly endUpload: (
    workspaceId: WorkspaceId,
    id: MediaId,
    received: ReceivedBytes & { readonly alt: string | null }
  ) => Effect.Effect<LibraryFile, MediaClaimLost | DatabaseUnavailable>
  /** The upload ended without a file: returns the row, which is to be removed with the bytes that it keeps already. */
  readonly abandonUpload: (
    workspaceId: WorkspaceId,
    id: MediaId
  ) => Effect.Effect<Option.Option<RemovedFile>, DatabaseUnavailable>
  /** Adds a file that is fetched from a URL later. */
  readonly addFromUrl: (
    workspaceId: WorkspaceId,
    file: NewFile & { readonly url: string },
    quota: number
  ) => Effect.Effect<LibraryFile, MediaQuotaExceeded | TooManyUploads | DatabaseUnavailable>

  /** Records that a file keeps these bytes, before they are at their address. */
  readonly keep: (address: Address, id: MediaId) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  /**
   * Runs an effect that removes bytes, unless a file or a post keeps them. None is recorded to keep them while it runs. Returns
   * whether it ran.
   */
  readonly removeUnlessKept: <E, R>(
    address: Address,
    remove: Effect.Effect<void, E, R>
  ) => Effect.Effect<boolean, E | DatabaseUnavailable, R>
  /** Those of the addresses that no file and no post keeps. */
  readonly findUnkept: (addresses: ReadonlyArray<Address>) => Effect.Effect<ReadonlyArray<Address>, DatabaseUnavailable>

  /** Counts the picture of a card in the quota, and keeps it for a post that is about to be stored. Fails where there is no room. */
  readonly keepCardPicture: (
    workspaceId: WorkspaceId,
    picture: { readonly hash: string; readonly size: number },
    quota: number
  ) => Effect.Effect<void, MediaQuotaExceeded | DatabaseUnavailable>
  /**
   * Counts those of the next pictures that posts show which no row counts: of the version before, and of a backup. Returns the last
   * one that it looked at; null at the end.
   */
  readonly countCardPictures: (
    after: Address | null,
    limit: number
  ) => Effect.Effect<Address | null, DatabaseUnavailable>
  /** Pictures of cards whose time is over unless a post needs them, without the first ones. */
  readonly expiredCardPictures: (
    limit: number,
    skipped: number
  ) => Effect.Effect<ReadonlyArray<Address>, DatabaseUnavailable>
  /** Takes a picture out of the cards that show it and of the quota, unless a post that has not ended needs it. Says whether it did. */
  readonly forgetCardPicture: (picture: Address) => Effect.Effect<boolean, DatabaseUnavailable>

  /** Claims a file whose step of this kind is due, fairly between workspaces; at most one fetch of a workspace at a time. */
  readonly claim: (
    step: ClaimedFile["step"]["_tag"],
    lease: Duration.Duration
  ) => Effect.Effect<Option.Option<ClaimedFile>, DatabaseUnavailable>
  /**
   * Reserves room for a file, and returns the bytes as which it counts from then on: `most`, or as many as there is room for. Fails
   * where that is less than `least`.
   */
  readonly reserve: (
    file: ArrivingFile,
    size: { readonly least: number; readonly most: number },
    quota: number
  ) => Effect.Effect<number, MediaQuotaExceeded | MediaClaimLost | DatabaseUnavailable>
  readonly renewLease: (
    file: ClaimedFile,
    lease: Duration.Duration
  ) => Effect.Effect<void, MediaClaimLost | DatabaseUnavailable>
  /** What was fetched is processed next. */
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
  /** Releases the claim; the step is due again after `wait`. An attempt that did not begin is not counted. */
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
  /** The address of a file's bytes. */
  readonly locate: (
    workspaceId: WorkspaceId,
    id: MediaId
  ) => Effect.Effect<
    { readonly original: ReceivedBytes | null; readonly renditions: Renditions },
    NotFound | DatabaseUnavailable
  >
  /** Posts keep the text that they have. */
  readonly setAlt: (
    workspaceId: WorkspaceId,
    id: MediaId,
    alt: string,
    /** Where these are named, the file has to be one that they have made. */
    keys?: ReadonlyArray<ApiKeyId> | null
  ) => Effect.Effect<LibraryFile, NotFound | NotOwnMedia | DatabaseUnavailable>
  /** Marks a file as removed, so that no post can be given it. Fails while a post that has not ended has it. */
  readonly remove: (
    workspaceId: WorkspaceId,
    id: MediaId,
    keys?: ReadonlyArray<ApiKeyId> | null
  ) => Effect.Effect<RemovedFile, NotFound | NotOwnMedia | InvalidState | DatabaseUnavailable>

  /** Makes files that posts need expire later, and returns how many. */
  readonly extendNeeded: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /** Marks files that expired as removed, and uploads that a crash cut off, and returns how many. */
  readonly markExpired: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /** Files that are marked as removed, those with an id after `after` in the order of ids. */
  readonly findRemoved: (
    after: MediaId | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<RemovedFile>, DatabaseUnavailable>
  /** Deletes the row of a file that is marked as removed. */
  readonly forget: (workspaceId: WorkspaceId, id: MediaId) => Effect.Effect<void, DatabaseUnavailable>
}
