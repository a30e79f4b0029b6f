import { Duration, Effect, Option, Result, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { PlatformError } from "../../domain/publishing/platformError.ts"
import { CallTimeout, type PlatformResponse, readResponse } from "../call.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import type { MetaApi } from "./api.ts"
import type { Dialect } from "./dialect.ts"
import type { SentFile } from "./sentFile.ts"

/** In bytes. */
const Offset = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The bytes of a container's video, which any process can continue. Nobody sees them. */
export const Upload = Schema.Struct({
  /** The address that takes them. */
  uri: Schema.String,
  hash: Schema.String,
  size: Schema.Int,
  contentType: Schema.String,
  /** The bytes that have arrived, as far as the platform said. */
  sent: Offset,
  /** The turns since then without another byte. */
  stalls: Schema.Int,
  /** True once the platform said that it has all of them. */
  isWhole: Schema.Boolean
})
export type Upload = typeof Upload.Type

const readUri = readResponse(Schema.Struct({ uri: Schema.String.check(Schema.isMaxLength(2_048)) }))
const readSuccess = readResponse(Schema.Struct({ success: Schema.Literal(true) }))
const readOffset = readResponse(Schema.Struct({ offset: Offset }))

/** The longest time for one request with bytes. A preparation has 45 seconds, and asks for states before. */
const turn = Duration.seconds(25)

const isAt = (uri: string, uploadUrl: string | undefined): boolean =>
  uploadUrl !== undefined && URL.parse(uri)?.origin === new URL(uploadUrl).origin

/** The upload of a new container, whose address may be in the answer. Undefined if the answer names another host. */
export const uploadOf = (
  container: string,
  { contentType, hash, size }: Pick<SentFile, "contentType" | "hash" | "size">,
  uploadUrl: string,
  response: PlatformResponse
): Upload | undefined => {
  const { uri } = Option.getOrElse(readUri(response), () => ({ uri: `${uploadUrl}/${container}` }))
  return isAt(uri, uploadUrl) ? { uri, hash, size, contentType, sent: 0, stalls: 0, isWhole: false } : undefined
}

/** Sends a video's bytes in turns, each from where the one before ended. */
export const makeSendBytes = ({ name, readAccess }: Dialect, { ask }: Pick<MetaApi, "ask">) => {
  const arrived = Effect.fnUntraced(function* (account: AccountAccess, { sent, stalls, uri }: Upload) {
    // Nothing was sent before the first turn, unless its process was killed. The next turn then finds out.
    if (sent === 0 && stalls === 0) return Option.none()
    const response = yield* ask(account, HttpClientRequest.get(uri, { acceptJson: true }), "OAuth")
    return response.status === 200 ? Option.map(readOffset(response), ({ offset }) => offset) : Option.none()
  })

  const send = (account: AccountAccess, { contentType, hash, size, uri }: Upload, offset: number) => {
    const length = size - offset
    const request = HttpClientRequest.post(uri, {
      headers: { offset: String(offset), file_size: String(size) }
    }).pipe(
      HttpClientRequest.bodyStream(account.files.read(hash, { offset, length }), { contentType, contentLength: length })
    )
    return ask(account, request, "OAuth").pipe(
      Effect.provideService(CallTimeout, turn),
      Effect.map((response) => response.status === 200 && Option.isSome(readSuccess(response))),
      Effect.catchTag("Unavailable", ({ message }) =>
        Effect.as(Effect.logInfo(`${name} has not taken all bytes of a video yet: ${message}`), false)
      )
    )
  }

  /** Returns the progress after one more request with bytes. */
  return Effect.fn(`${name}.sendBytes`)(function* (
    account: AccountAccess,
    upload: Upload
  ): Effect.fn.Return<Upload, PlatformError | DatabaseUnavailable> {
    const access = readAccess(yield* account.credentials.current)
    const stalled = { ...upload, stalls: upload.stalls + 1 }
    // The address gets a token. Another login takes no bytes.
    if (Result.isFailure(access) || !isAt(upload.uri, access.success.uploadUrl)) return stalled
    const offset = Option.getOrElse(yield* arrived(account, upload), () => 0)
    if (offset === upload.size) return { ...upload, isWhole: true }
    const isWhole = yield* send(account, upload, offset < upload.size ? offset : 0)
    return offset > upload.sent ? { ...upload, sent: offset, stalls: 1, isWhole } : { ...stalled, isWhole }
  })
}
