import { Context, Stream } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import { Rejected, type Unavailable } from "../domain/publishing/platformError.ts"

export interface FileRange {
  readonly offset: number
  readonly length: number
}

/** A read fails with Rejected if the file is missing, and with Unavailable if the store is down. */
export interface Files {
  /** `hash` is the file's address in the store. */
  readonly read: (hash: string, range?: FileRange) => Stream.Stream<Uint8Array, Rejected | Unavailable>
}

/** For code that only reads from a platform, and so needs no files. */
export const noFiles: Files = {
  read: () => Stream.fail(new Rejected({ message: "This service has no store of media" }))
}

/** Without a store, every read fails. */
export const MediaFiles = Context.Reference<(workspaceId: WorkspaceId) => Files>(
  "social-publisher/platforms/MediaFiles",
  { defaultValue: () => () => noFiles }
)
