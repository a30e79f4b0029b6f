import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, Layer } from "effect"
import { type Configuration, ConfigurationError } from "../config.ts"
import { removeExamples } from "../demo/clearExamples.ts"
import { MediaLibrary } from "../media/MediaLibrary.ts"
import { readEntries } from "../sandbox/state/journal.ts"
import { mediaStoreLayer } from "./media.ts"
import { sandboxDirectory } from "./platforms.ts"

const libraryLayer = (config: Configuration) =>
  Layer.provide(MediaLibrary.layer(config.mediaQuota), mediaStoreLayer(config))

const readDemo = (config: Configuration) =>
  readEntries(sandboxDirectory(config)).pipe(
    Effect.map((entries) => entries.findLast((entry) => entry._tag === "DemoWorkspace")),
    Effect.mapError(({ message }) => new ConfigurationError({ message: `DATA_DIR: ${message}` })),
    Effect.provide(NodeFileSystem.layer)
  )

/**
 * For a command. Returns the number of removed posts. A running service drops the examples when its timelines are next
 * requested.
 */
export const clearRecordedExamples = Effect.fn("clearRecordedExamples")(function* (config: Configuration) {
  const demo = yield* readDemo(config)
  return demo === undefined ? 0 : yield* removeExamples(demo).pipe(Effect.provide(libraryLayer(config)))
})
