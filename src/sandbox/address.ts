import { Effect, FileSystem, Option, Redacted } from "effect"
import type { PlatformsConfig } from "../platforms/config.ts"
import { sandboxApplication } from "./twitter/tokenEndpoint.ts"

/** The configuration by which posts go to the sandbox at `url` and are shown under `baseUrl`. */
export const sandboxPlatforms = (url: string, baseUrl: string): PlatformsConfig => ({
  twitter: {
    apiUrl: url,
    webUrl: `${baseUrl}/sandbox/twitter`,
    clientId: sandboxApplication.clientId,
    clientSecret: Redacted.make(sandboxApplication.clientSecret)
  },
  bluesky: { defaultServiceUrl: url, webUrl: `${baseUrl}/sandbox/bluesky` }
})

const fileIn = (directory: string) => `${directory}/address`

/** Where the sandbox that keeps its journal in the directory listens, or last did. */
export const notedAddress = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.option(files.readFileString(fileIn(directory)))
})

/**
 * Notes where the sandbox listens, for commands beside the running service: it has another port after each start. At the
 * end the note is as it was before, so that a start that fails leaves the service known that runs already.
 */
export const noteAddress = Effect.fnUntraced(function* (directory: string, url: string) {
  const files = yield* FileSystem.FileSystem
  const earlier = yield* notedAddress(directory)
  const note = (address: string) => files.writeFileString(fileIn(directory), address)
  yield* Effect.acquireRelease(Effect.orDie(note(url)), () =>
    Effect.gen(function* () {
      if (Option.contains(yield* notedAddress(directory), url)) {
        yield* Option.match(earlier, { onNone: () => files.remove(fileIn(directory)), onSome: note })
      }
    }).pipe(Effect.provideService(FileSystem.FileSystem, files), Effect.ignore)
  )
})
