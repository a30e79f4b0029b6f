import { Duration, Effect, Stream } from "effect"
import { HttpClient } from "effect/http"
import type { SandboxFile } from "./files.ts"

const maxBytes = 64 * 1024 * 1024

/** No platform waits longer for a file. */
const timeout = Duration.seconds(20)

/**
 * Fetches a file as a platform does: from ASCII URLs, without following redirects. Undefined if there is no such file.
 * Unlike a platform, it also fetches from this machine, because that is where a sandbox runs.
 */
export const makeFetchFile = Effect.map(
  HttpClient.HttpClient,
  (client) =>
    (url: string): Effect.Effect<SandboxFile | undefined> =>
      /^https?:\/\/[\x21-\x7e]+$/.test(url)
        ? client.get(url).pipe(
            Effect.flatMap((response) =>
              response.status !== 200
                ? Effect.undefined
                : response.stream.pipe(
                    Stream.mapAccum(
                      () => 0,
                      (size, chunk) => [
                        size + chunk.byteLength,
                        [{ chunk, isLast: size + chunk.byteLength > maxBytes }]
                      ]
                    ),
                    Stream.takeUntil(({ isLast }) => isLast),
                    Stream.runCollect,
                    Effect.map((chunks) => ({
                      bytes: Uint8Array.from(Buffer.concat(Array.from(chunks, ({ chunk }) => chunk))),
                      contentType: response.headers["content-type"] ?? "application/octet-stream"
                    }))
                  )
            ),
            Effect.timeout(timeout),
            Effect.orElseSucceed((): SandboxFile | undefined => undefined)
          )
        : Effect.undefined
)
