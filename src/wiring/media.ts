import path from "node:path"
import { Effect, Layer } from "effect"
import type { Configuration } from "../config.ts"
import { directoryStoreLayer } from "../media/directory.ts"
import { MediaLibrary } from "../media/MediaLibrary.ts"
import { MediaReader } from "../media/MediaReader.ts"
import { mediaRetentionLayer } from "../media/retention.ts"
import { mediaStepsLayer } from "../media/steps.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { UserAgent, userAgent } from "../outbound/userAgent.ts"
import { makeDataDirectory } from "./dataDirectory.ts"

/** The configured store of media. Another one than the database knows stops the start. */
const mediaStoreLayer = (config: Configuration) =>
  Layer.unwrap(Effect.as(makeDataDirectory(config), directoryStoreLayer(path.join(config.dataDir, "media"))))

/** The library and its store, and what fetches, reads and removes files in the background. */
export const mediaLayer = (config: Configuration) =>
  Layer.merge(mediaStepsLayer, mediaRetentionLayer).pipe(
    Layer.provideMerge(MediaLibrary.layer(config.mediaQuota)),
    Layer.provideMerge(mediaStoreLayer(config)),
    Layer.provide([
      MediaReader.layer,
      Outbound.layer({ loopback: config.reachesLoopback }).pipe(
        Layer.provide(Layer.succeed(UserAgent, userAgent(config.baseUrl)))
      )
    ])
  )
