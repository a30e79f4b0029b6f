import { Result } from "effect"
import type { StandInRequest, StandInResponse } from "../../../sandbox/endpoint.ts"
import { respond } from "./responses.ts"

export const uploadError = (type: string, message: string): StandInResponse =>
  respond(400, { debug_info: { retriable: false, type, message } })

export const uploadDone = respond(200, { success: true, message: "Upload successful." })

/**
 * The bytes of a video after a request with more of them, and its whole size. A request may be cut off, and another one
 * goes on.
 */
export const takeBytes = (
  held: Uint8Array,
  { bytes, headers, oddity }: Pick<StandInRequest, "bytes" | "headers" | "oddity">
): Result.Result<{ readonly bytes: Uint8Array; readonly size: number }, StandInResponse> => {
  const offset = Number(headers["offset"] ?? "-1")
  const size = Number(headers["file_size"] ?? "-1")
  if (offset !== held.byteLength || offset + bytes.byteLength > size) {
    return Result.fail(uploadError("OffsetInvalidError", "The offset is not the number of received bytes"))
  }
  const taken = oddity?.kind === "nulls" ? bytes.subarray(0, Math.ceil(bytes.byteLength / 2)) : bytes
  return Result.succeed({ bytes: Buffer.concat([held, taken]), size })
}

export const partial = uploadError("PartialRequestError", "Partial request (did not match length of file)")
