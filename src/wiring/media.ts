import path from "node:path"
import { Effect, Layer, Option } from "effect"
import type { Configuration } from "../config.ts"
import { directoryStoreLayer } from "../media/store/directory.ts"
import { MediaLibrary } from "../media/MediaLibrary.ts"
import { MediaReader } from "../media/process/MediaReader.ts"
import { s3StoreLayer } from "../media/store/s3.ts"
import { mediaStepsLayer } from "../media/steps.ts"
import { makeDataDirectory } from "./dataDirectory.ts"
import { outboundLayer } from "./outbound.ts"

export const mediaStoreLayer = (config: Configuration) =>
  Layer.unwrap(
    Effect.map(makeDataDirectory(config), () => {
      const directory = path.join(config.dataDir, "media")
      return Option.match(config.mediaBucket, {
        onNone: () => directoryStoreLayer(directory),
        onSome: (bucket) => s3StoreLayer(bucket, directory)
      })
    })
  )

export const mediaLayer = (config: Configuration) =>
  mediaStepsLayer.pipe(
    Layer.provideMerge(MediaLibrary.layer(config.mediaQuota)),
    Layer.provideMerge(mediaStoreLayer(config)),
    Layer.provideMerge(MediaReader.layer),
    Layer.provide(outboundLayer(config))
  )
