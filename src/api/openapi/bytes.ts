import type { OpenApi } from "effect/http-api"
import { mediaTypes } from "../../domain/plain/limits.ts"
import { headerReferences } from "./headers.ts"

interface Bytes {
  readonly types: ReadonlyArray<string>
  readonly hasRanges: boolean
}

/** The contract lacks the responses of these operations, because handlers write them directly. */
const operations: Readonly<Record<string, Bytes>> = {
  // The library returns uploaded files unchanged.
  getMediaContent: { types: mediaTypes, hasRanges: true },
  getMediaThumbnail: { types: ["image/webp"], hasRanges: true },
  getIntegrationAvatar: { types: ["image/webp"], hasRanges: false }
}

const header = (name: string, description: string, example: string): OpenApi.OpenAPISpecParameter => ({
  name,
  in: "header",
  required: false,
  schema: { type: "string", description, examples: [example] }
})

const etag = '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"'

const ifNoneMatch = header("if-none-match", "Answered with a 304 if it has the `ETag` of the bytes, or is `*`.", etag)

const rangeHeaders = [
  header(
    "range",
    "One range of bytes, as `bytes=0-499`, `bytes=500-` or `bytes=-500`. Anything else is ignored, and so are several ranges.",
    "bytes=0-499"
  ),
  header(
    "if-range",
    "The `ETag` of the bytes that the client has. If the file's is different, the response has all of the bytes.",
    etag
  )
]

export const describeBytes = (status: number): string => {
  if (status === 206) return "The range of the bytes."
  return status === 304 ? "The client has the bytes already." : "The bytes."
}

export const documentBytes = (operation: OpenApi.OpenAPISpecOperation): OpenApi.OpenAPISpecOperation => {
  const bytes = operations[operation.operationId]
  const whole = operation.responses[200]
  const [derived] = Object.values(whole?.content ?? {})
  if (bytes === undefined || whole === undefined || derived === undefined) return operation
  const content = Object.fromEntries(bytes.types.map((type) => [type, derived]))
  return {
    ...operation,
    parameters: [...operation.parameters, ifNoneMatch, ...(bytes.hasRanges ? rangeHeaders : [])],
    responses: {
      ...operation.responses,
      200: { ...whole, content },
      ...(bytes.hasRanges && { 206: { ...whole, content } }),
      304: { description: describeBytes(304) }
    }
  }
}

export const byteHeaders = (operationId: string, status: number): Record<string, object> => {
  const bytes = operations[operationId]
  if (bytes === undefined) return {}
  return {
    ...(status < 400 && { ETag: { $ref: "#/components/headers/BytesETag" } }),
    ...headerReferences([
      ...(status < 400 && bytes.hasRanges ? ["Accept-Ranges"] : []),
      ...(status === 206 || status === 416 ? ["Content-Range"] : [])
    ])
  }
}
