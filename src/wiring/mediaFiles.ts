import { Effect, Layer, Option, Redacted, Stream } from "effect"
import type { Configuration } from "../config.ts"
import { Rejected, Unavailable } from "../domain/publishing/platformError.ts"
import { fileLinkPath } from "../http/pages/fileLinks.ts"
import { MediaStore } from "../media/store/MediaStore.ts"
import { MediaFiles } from "../platforms/MediaFiles.ts"
import { Repo } from "../repo/Repo.ts"

/** Repeated, because the operator can set it while the post waits. */
const unreachable = new Unavailable({
  message: "The platform can't fetch files from this service until its operator has set PUBLIC_URL"
})

const unavailable = new Unavailable({ message: "The service could not make a link to a file" })

export const mediaFilesLayer = ({ publicUrl }: Pick<Configuration, "publicUrl">) =>
  Layer.effect(
    MediaFiles,
    Effect.gen(function* () {
      const store = yield* MediaStore
      const { fileLinks } = yield* Repo
      return (workspaceId) => ({
        read: (hash, range) =>
          Stream.mapError(store.read(workspaceId, hash, range), (error) =>
            error._tag === "MediaMissing"
              ? new Rejected({ message: "A file of this post is gone from the store of media" })
              : new Unavailable({ message: "The store of media does not answer" })
          ),
        share: ({ contentType, hash, size }) =>
          Option.match(publicUrl, {
            onNone: () => Effect.fail(unreachable),
            onSome: (url) =>
              fileLinks.create({ workspaceId, hash, contentType, size }).pipe(
                Effect.mapBoth({
                  onFailure: () => unavailable,
                  onSuccess: ({ id, token }) => ({ id, url: `${url}${fileLinkPath}${Redacted.value(token)}` })
                })
              )
          }),
        unshare: (ids) =>
          ids.length === 0
            ? Effect.void
            : Effect.catch(fileLinks.end(workspaceId, ids), (error) =>
                Effect.logWarning("Links to files were not ended, and expire", error)
              )
      })
    })
  )
