import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import type { AcceptedType } from "../media/limits.ts"
import type { MediaReader } from "../media/process/MediaReader.ts"

interface Picture {
  readonly bytes: Uint8Array
  readonly contentType: AcceptedType
}

interface Bounds {
  /** In pixels. */
  readonly longestSide: number
  readonly maxBytes: number
}

/** As pictures of posts: upright, in colors that screens show, and without metadata. Null if it can't be read. */
export const preparePicture = Effect.fnUntraced(
  function* (
    reader: MediaReader["Service"],
    workspaceId: WorkspaceId,
    { bytes, contentType }: Picture,
    bounds: Bounds
  ) {
    const files = yield* FileSystem.FileSystem
    const directory = yield* files.makeTempDirectoryScoped({ prefix: "card-" })
    const path = `${directory}/picture`
    yield* files.writeFile(path, bytes)
    const outputs = { picture: { ...bounds, keepsOriginal: true } }
    const answer = yield* reader.read(
      { contentType, path, outputDirectory: directory, outputs },
      { lane: "shown", workspaceId }
    )
    const made = answer._tag === "Done" ? answer.made["picture"] : undefined
    if (made === undefined) return null
    return { bytes: made.path === null ? bytes : yield* files.readFile(made.path), contentType: made.contentType }
  },
  Effect.scoped,
  Effect.provide(NodeFileSystem.layer)
)
