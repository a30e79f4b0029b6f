import { Context, Stream } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import { Rejected, type Unavailable } from "../domain/publishing/platformError.ts"

/** A part of a file: `length` bytes from `offset` on. */
export interface FileRange {
  readonly offset: number
  readonly length: number
}

/** The bytes of stored files, as adapters read them. A file that is gone can't be sent, and a store that is away may come back. */
export interface Files {
  /** `hash` is the file's address in the store. */
  readonly read: (hash: string, range?: FileRange) => Stream.Stream<Uint8Array, Rejected | Unavailable>
}

/** No files: for what only reads a platform. */
export const noFiles: Files = {
  read: () => Stream.fail(new Rejected({ message: "This service has no store of media" }))
}

/** The files of each workspace. Without a store there are none. */
export const MediaFiles = Context.Reference<(workspaceId: WorkspaceId) => Files>(
  "social-publisher/platforms/MediaFiles",
  {
    defaultValue: () => () => noFiles
  }
)
