import { Context, Stream } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import { Rejected, type Unavailable } from "../domain/publishing/platformError.ts"

export interface FileRange {
  readonly offset: number
  readonly length: number
}

/** A missing file is Rejected; a store that is down is Unavailable. */
export interface Files {
  /** `hash` is the file's address in the store. */
  readonly read: (hash: string, range?: FileRange) => Stream.Stream<Uint8Array, Rejected | Unavailable>
}

/** For code that only reads a platform. */
export const noFiles: Files = {
  read: () => Stream.fail(new Rejected({ message: "This service has no store of media" }))
}

/** Reads fail without a store. */
export const MediaFiles = Context.Reference<(workspaceId: WorkspaceId) => Files>(
  "social-publisher/platforms/MediaFiles",
  { defaultValue: () => () => noFiles }
)
