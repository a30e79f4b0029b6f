import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, FileSystem, Layer, Logger, Option } from "effect"
import { directoryStoreLayer } from "../../../src/media/store/directory.ts"
import { MediaLibrary } from "../../../src/media/MediaLibrary.ts"
import { MediaReader } from "../../../src/media/process/MediaReader.ts"
import type { MediaStore } from "../../../src/media/store/MediaStore.ts"
import { mediaStepsLayer } from "../../../src/media/steps.ts"
import { Outbound } from "../../../src/outbound/Outbound.ts"
import { mediaFilesLayer } from "../../../src/wiring/mediaFiles.ts"
import { platformClientLayer } from "../../../src/platforms/layer.ts"
import { Publisher } from "../../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { repoLayer } from "../database/testDatabase.ts"
import { baseUrl } from "./server.ts"
import { makeKey, startOnDatabase } from "./team.ts"
import { platformHttpLayer } from "./platformHttpLayer.ts"

const platforms = Layer.unwrap(Effect.map(Sandbox, (sandbox) => platformClientLayer(sandbox.platforms(baseUrl)))).pipe(
  Layer.provideMerge(Sandbox.layer({})),
  Layer.provide(platformHttpLayer)
)

/** A media library in its own directory, with file processing. */
const media = mediaStepsLayer.pipe(
  Layer.provideMerge(MediaLibrary.layer(1e9)),
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(
        Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped()),
        (directory) => directoryStoreLayer(`${directory}/media`)
      )
    )
  ),
  Layer.provide([MediaReader.layer, Layer.mock(Outbound, {}), NodeFileSystem.layer])
)

/** A key with all scopes, for a workspace with accounts on both sandbox platforms. */
const makeWorkspaceKey = Effect.gen(function* () {
  const { integrations, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const { id: workspaceId } = yield* workspaces.create("A team")
  for (const platform of ["twitter", "bluesky"] as const)
    yield* integrations.connect(workspaceId, { platform, ...(yield* sandbox.connect(platform, "team")) })
  return (yield* makeKey(workspaceId)).key
})

/** The API on a real database, and the publisher with the sandbox platforms. */
export class RunningService extends Context.Service<
  RunningService,
  {
    readonly url: string
    /** For a workspace with accounts on both platforms. */
    readonly key: string
  }
>()("test/RunningService") {
  static readonly layer = Layer.effect(
    RunningService,
    Effect.gen(function* () {
      // Tests poll until a post is published.
      const library = Layer.succeedContext(yield* Effect.context<MediaLibrary | MediaStore>())
      const url = yield* startOnDatabase({ rateLimitPerMinute: 1_000_000, media: library })
      return { key: yield* makeWorkspaceKey, url }
    })
  ).pipe(
    Layer.provideMerge(scheduledFiber),
    Layer.provide(Publisher.layer),
    Layer.provide(Layer.provide(mediaFilesLayer({ publicUrl: Option.none() }), media)),
    Layer.provide(platforms),
    Layer.provide(media),
    Layer.provideMerge(repoLayer),
    Layer.provideMerge(Logger.layer([]))
  )
}
