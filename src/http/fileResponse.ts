import type { Stream } from "effect"
import { HttpServerResponse } from "effect/http"

interface SentFile {
  readonly contentType: string
  readonly size: number
  /** Undefined for the whole file. */
  readonly range: { readonly offset: number; readonly length: number } | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The response with a file, or with the range of it that `bytes` contains. */
export const fileResponse = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  { contentType, headers, range, size }: SentFile
): HttpServerResponse.HttpServerResponse => {
  if (range === undefined) return HttpServerResponse.stream(bytes, { contentType, contentLength: size, headers })
  const { length, offset } = range
  return HttpServerResponse.stream(bytes, {
    status: 206,
    contentType,
    contentLength: length,
    headers: { ...headers, "content-range": `bytes ${offset}-${offset + length - 1}/${size}` }
  })
}
