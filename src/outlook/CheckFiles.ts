import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import type { FileAnswer } from "../domain/outlook/answers.ts"
import { MediaStore } from "../media/store/MediaStore.ts"

type CheckFile = (workspaceId: WorkspaceId, hash: string) => Effect.Effect<FileAnswer>

/** Finds out if the store still has the bytes of a file. Without this layer, every file counts as kept. */
export const CheckFiles = Context.Reference<CheckFile>("social-publisher/outlook/CheckFiles", {
  defaultValue: () => () => Effect.succeed("kept")
})

export const checkFilesLayer = Layer.effect(
  CheckFiles,
  Effect.map(
    MediaStore,
    (store): CheckFile =>
      (workspaceId, hash) =>
        store.has(workspaceId, hash).pipe(
          Effect.map((has): FileAnswer => (has ? "kept" : "missing")),
          Effect.orElseSucceed((): FileAnswer => "unchecked")
        )
  )
)
