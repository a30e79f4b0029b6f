import { Context, type DateTime, type Effect, type Scope, type Stream } from "effect"
import type { MediaMissing, MediaStoreFull, MediaUnavailable } from "../../domain/errors.ts"
import type { WorkspaceId } from "../../domain/ids.ts"

/** The address is the workspace and the hash; workspaces share no bytes. */
export interface StoredFile {
  /** SHA-256, in lower-case hexadecimal. */
  readonly hash: string
  /** In bytes. */
  readonly size: number
}

export interface ByteRange {
  readonly offset: number
  readonly length: number
}

export interface ListedFile {
  readonly workspaceId: WorkspaceId
  readonly hash: string
  /** The last write, even of the same bytes. */
  readonly writtenAt: DateTime.Utc
}

/** Uploads, renditions, and thumbnails of link cards. */
export class MediaStore extends Context.Service<
  MediaStore,
  {
    /**
     * Writes bytes as fast as they arrive, in bounded memory. After success they survive a crash; after a failure or
     * interruption, nothing remains. `register` runs between the last byte and the move to the address, so that a
     * reference can be stored first.
     */
    readonly write: <E, R, E2 = never, R2 = never>(
      workspaceId: WorkspaceId,
      bytes: Stream.Stream<Uint8Array, E, R>,
      register?: (file: StoredFile) => Effect.Effect<unknown, E2, R2>
    ) => Effect.Effect<StoredFile, E | E2 | MediaStoreFull | MediaUnavailable, R | R2>
    readonly read: (
      workspaceId: WorkspaceId,
      hash: string,
      range?: ByteRange
    ) => Stream.Stream<Uint8Array, MediaMissing | MediaUnavailable>
    /** A local copy, which must not be changed. It may be gone when the scope closes. */
    readonly localCopy: (
      workspaceId: WorkspaceId,
      hash: string
    ) => Effect.Effect<string, MediaMissing | MediaStoreFull | MediaUnavailable, Scope.Scope>
    /** Succeeds if there is no such file. */
    readonly remove: (workspaceId: WorkspaceId, hash: string) => Effect.Effect<void, MediaUnavailable>
    readonly has: (workspaceId: WorkspaceId, hash: string) => Effect.Effect<boolean, MediaUnavailable>
    /** In no order. */
    readonly list: Stream.Stream<ListedFile, MediaUnavailable>
    /** Removes a crash's leftovers of uploads that stopped before this time. */
    readonly removeStale: (before: DateTime.Utc) => Effect.Effect<void, MediaUnavailable>
    readonly requireSpace: Effect.Effect<void, MediaStoreFull | MediaUnavailable>
  }
>()("social-publisher/media/MediaStore") {}
