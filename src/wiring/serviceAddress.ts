import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, FileSystem, Layer, Option } from "effect"
import { HttpClient } from "effect/http"
import path from "node:path"
import type { Configuration } from "../config.ts"

const addressFile = (config: Configuration): string => path.join(config.dataDir, "base-url")

/**
 * Writes the URL for commands, and removes it at the end. Best effort: with an external database, the service may have
 * no writable DATA_DIR.
 */
export const announceAddressLayer = (config: Configuration) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = addressFile(config)
      const write = Effect.andThen(
        files.makeDirectory(config.dataDir, { recursive: true }),
        files.writeFileString(file, config.baseUrl)
      )
      // Another service with the same DATA_DIR may have written its own URL since.
      const remove = Effect.flatMap(files.readFileString(file), (url) =>
        url === config.baseUrl ? files.remove(file) : Effect.void
      )
      yield* Effect.acquireRelease(Effect.ignore(write), () => Effect.ignore(remove))
    })
  ).pipe(Layer.provide(NodeFileSystem.layer))

/** False for a URL that a killed service left behind. */
const answers = (url: string) =>
  HttpClient.get(`${url}/healthz`).pipe(
    Effect.timeout("3 seconds"),
    Effect.isSuccess,
    Effect.provide(NodeHttpClient.layerUndici)
  )

/** The URL for browsers: from the environment, else from the service that runs with this DATA_DIR; otherwise null. */
export const findBaseUrl = Effect.fnUntraced(function* (config: Configuration) {
  if (config.isAddressSet) return config.baseUrl
  const files = yield* FileSystem.FileSystem
  const written = yield* Effect.option(files.readFileString(addressFile(config)))
  return Option.isSome(written) && (yield* answers(written.value)) ? written.value : null
}, Effect.provide(NodeFileSystem.layer))
