import { Context, Effect, Stream } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import { Rejected, type Unavailable } from "../domain/publishing/platformError.ts"

export interface FileRange {
  readonly offset: number
  readonly length: number
}

/** A link under which a platform can fetch a file. */
export interface FileLink {
  readonly id: string
  readonly url: string
}

export interface SharedFile {
  readonly hash: string
  readonly contentType: string
  readonly size: number
}

/** Fails with Rejected if the file is missing, and with Unavailable if the store or the database is down. */
export interface Files {
  /** `hash` is the file's address in the store. */
  readonly read: (hash: string, range?: FileRange) => Stream.Stream<Uint8Array, Rejected | Unavailable>
  /** Makes a link to a file, for a platform that takes no bytes. Lasts a day at most. */
  readonly share: (file: SharedFile) => Effect.Effect<FileLink, Rejected | Unavailable>
  /** Ends links. A failure is logged, because links end by themselves. */
  readonly unshare: (ids: ReadonlyArray<string>) => Effect.Effect<void>
}

/** For code that only reads from a platform, and so needs no files. */
export const noFiles: Files = {
  read: () => Stream.fail(new Rejected({ message: "This service has no store of media" })),
  share: () => Effect.fail(new Rejected({ message: "This service has no store of media" })),
  unshare: () => Effect.void
}

/** Without a store, every read fails. */
export const MediaFiles = Context.Reference<(workspaceId: WorkspaceId) => Files>(
  "social-publisher/platforms/MediaFiles",
  { defaultValue: () => () => noFiles }
)
