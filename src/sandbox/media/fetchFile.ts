import { Duration, Effect, Stream } from "effect"
import { HttpClient } from "effect/http"
import type { SandboxFile } from "./files.ts"

const maxBytes = 64 * 1024 * 1024

/** No platform waits longer for a file. */
const timeout = Duration.seconds(20)

/** Stops after the chunk with which there are more bytes. */
const readMost = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.suspend(() => {
    let size = 0
    const isFull = ({ byteLength }: Uint8Array) => {
      size += byteLength
      return size > maxBytes
    }
    return stream.pipe(
      Stream.takeUntil(isFull),
      Stream.runCollect,
      Effect.map((chunks) => Uint8Array.from(Buffer.concat([...chunks])))
    )
  })

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
                : Effect.map(readMost(response.stream), (bytes) => ({
                    bytes,
                    contentType: response.headers["content-type"] ?? "application/octet-stream"
                  }))
            ),
            Effect.timeout(timeout),
            Effect.orElseSucceed((): SandboxFile | undefined => undefined)
          )
        : Effect.undefined
)
