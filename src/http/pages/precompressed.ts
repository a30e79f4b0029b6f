import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { matchesEtag } from "../responseHeaders.ts"
import { chooseCoding, type ContentCoding } from "./contentCoding.ts"

const compressors: Record<ContentCoding, (content: Uint8Array) => Promise<Uint8Array>> = {
  // At the default quality, 11, a few megabytes take seconds; at 5, a tenth of a second.
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (content) => promisify(gzip)(content),
  identity: (content) => Promise.resolve(content)
}

interface Content {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** Without a Cache-Control here, caches revalidate at each use. */
  readonly headers: Readonly<Record<string, string>>
}

/** The ETag is a hash of the encoded bytes, so it also changes with the version of zlib. */
const makeRepresentation = ({ bytes, contentType, headers }: Content, coding: ContentCoding) =>
  Effect.map(
    Effect.promise(() => compressors[coding](bytes)),
    (encoded) => {
      const etag = `"${createHash("sha256").update(encoded).digest("base64url")}"`
      // A 304 repeats these headers, because a cache replaces its stored headers with them.
      const shared = { "cache-control": "no-cache", ...headers, etag, vary: "Accept-Encoding" }
      const contentEncoding = coding === "identity" ? {} : { "content-encoding": coding }
      return {
        etag,
        full: HttpServerResponse.uint8Array(encoded, { contentType, headers: { ...shared, ...contentEncoding } }),
        unchanged: HttpServerResponse.empty({ status: 304, headers: shared })
      }
    }
  )

export type Representations = Effect.Success<ReturnType<typeof makeRepresentations>>

/**
 * Encodes for each coding at its first request. Uninterruptible, because others wait for the result if the client
 * leaves.
 */
export const makeRepresentations = (content: Content) => {
  const cached = (coding: ContentCoding) => Effect.cached(Effect.uninterruptible(makeRepresentation(content, coding)))
  return Effect.all({ br: cached("br"), gzip: cached("gzip"), identity: cached("identity") })
}

/** All responses share the bytes, so that slow readers take no additional memory. */
export const represent = (representations: Representations) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const { etag, full, unchanged } = yield* representations[chooseCoding(headers["accept-encoding"])]
    return matchesEtag(headers["if-none-match"], etag) ? unchanged : full
  })

/**
 * For a route whose content never changes. Keeps the first response, compressed with each coding. `headersOf` returns
 * headers that depend on the content.
 */
export const precompressed = (
  contentType: string,
  headersOf: (content: Uint8Array) => Readonly<Record<string, string>> = () => ({})
) =>
  HttpRouter.middleware(
    Effect.sync(() => {
      let representations: Representations | undefined
      return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
        Effect.gen(function* () {
          if (representations === undefined) {
            const response = yield* handler
            if (response.body._tag !== "Uint8Array") return response
            const { body: bytes } = response.body
            representations = yield* makeRepresentations({ bytes, contentType, headers: headersOf(bytes) })
          }
          return yield* represent(representations)
        })
    })
  )
