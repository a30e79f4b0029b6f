import { Effect, Layer, Stream } from "effect"
import { Rejected, Unavailable } from "../domain/publishing/platformError.ts"
import { MediaStore } from "../media/store/MediaStore.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"

export const mediaFilesLayer = Layer.effect(
  MediaFiles,
  Effect.map(MediaStore, (store) => (workspaceId) => ({
    read: (hash, range) =>
      Stream.mapError(store.read(workspaceId, hash, range), (error) =>
        error._tag === "MediaMissing"
          ? new Rejected({ message: "A file of this post is gone from the store of media" })
          : new Unavailable({ message: "The store of media does not answer" })
      )
  }))
)
