import { Duration, Effect, FileSystem, Schedule, Stream } from "effect"
import { fileURLToPath } from "node:url"
import type { Authority } from "../domain/people/authority.ts"
import type { MediaId, WorkspaceId } from "../domain/ids.ts"
import { MediaLibrary } from "../media/MediaLibrary.ts"
import { Repo } from "../repo/Repo.ts"

/** Names of files with their alternative texts. */
export const pictures = {
  beans: "Five bags of coffee on a wooden shelf, with a scoop of roasted beans in front of them",
  bicycle: "A blue bicycle with a wooden crate of coffee bags in front of a plaster wall",
  coldbrew: "A tall glass of cold brew with ice, a straw and a slice of orange, on a table by the sea",
  harbor: "A fishing boat, sailboats and a lighthouse in a harbor at sunrise",
  latte: "A cup of coffee with a leaf poured into its foam, seen from above",
  market: "A market stall under a striped awning, with sacks of coffee and crates of fruit",
  storefront: "The front of a café at dusk, with lit windows and small tables outside",
  terraces: "Rows of coffee bushes on green hills around a farmhouse, with mountains behind"
} as const

export type PictureName = keyof typeof pictures

const isPictureName = (name: string): name is PictureName => Object.hasOwn(pictures, name)

const names = Object.keys(pictures).filter(isPictureName)

export const sandboxFileId = (name: PictureName): string => `example-${name}`

export const readPictures = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const read = (name: PictureName) =>
    Effect.map(
      files.readFile(fileURLToPath(new URL(`pictures/${name}.webp`, import.meta.url))),
      (bytes) => [name, bytes] as const
    )
  return yield* Effect.forEach(names, read)
})

const waitUntilReady = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: MediaId) {
  const { media } = yield* Repo
  yield* media
    .get(workspaceId, id)
    .pipe(
      Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: ({ status }) => status !== "processing" }),
      Effect.timeout(Duration.seconds(30))
    )
})

const descriptions: ReadonlySet<string> = new Set(Object.values(pictures))

export const removeUnlessUsed = Effect.fn("removeUnlessUsed")(function* (
  workspaceId: WorkspaceId,
  ids: ReadonlyArray<MediaId>
) {
  const library = yield* MediaLibrary
  yield* Effect.forEach(ids, (id) =>
    library
      .remove(workspaceId, id)
      .pipe(
        Effect.catchTag(
          ["NotFound", "NotOwnMedia", "InvalidState", "NotMember", "RoleLost", "KeyEnded", "SessionEnded"],
          () => Effect.void
        )
      )
  )
})

/** Removes example pictures that no post uses. They remain if a start was interrupted or could not add its posts. */
export const removeExamplePictures = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  const { media } = yield* Repo
  const files = yield* media.list(workspaceId, { limit: 100, before: null })
  const leftovers = files.filter(({ alt }) => descriptions.has(alt))
  yield* removeUnlessUsed(
    workspaceId,
    leftovers.map(({ id }) => id)
  )
})

/** Waits until posts can use the pictures. If one upload fails, none is kept. */
export const uploadPictures = Effect.fn("uploadPictures")(function* (by: Authority) {
  const { workspaceId } = by
  const library = yield* MediaLibrary
  yield* removeExamplePictures(workspaceId)
  const upload = ([name, bytes]: readonly [PictureName, Uint8Array]) =>
    Effect.map(
      library.upload(by, {
        bytes: Stream.make(bytes),
        declaredSize: bytes.byteLength,
        alt: Effect.succeed(pictures[name])
      }),
      ({ id }) => [name, id] as const
    )
  return yield* Effect.gen(function* () {
    const uploaded = yield* Effect.forEach(yield* readPictures, upload)
    yield* Effect.forEach(uploaded, ([, id]) => waitUntilReady(workspaceId, id), { discard: true })
    return new Map(uploaded)
  }).pipe(Effect.tapError(() => Effect.ignore(removeExamplePictures(workspaceId))))
})
