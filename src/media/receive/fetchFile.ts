import { Duration, Effect, Schema } from "effect"
import { type Headers, HttpClientRequest } from "effect/http"
import { Outbound } from "../../outbound/Outbound.ts"
import type { ClaimedFile, FileError } from "../../repo/media/Media.ts"
import { Repo } from "../../repo/Repo.ts"
import { maxVideoBytes } from "../../domain/plain/limits.ts"
import { MediaLibrary } from "../MediaLibrary.ts"
import { requireMinimumRate, requireTotalTime } from "./minimumRate.ts"
import { storeFile } from "./storeFile.ts"
import { reserveQuota } from "./reserveQuota.ts"

/** The wait for the server's answer, including redirects. */
const timeout = Duration.seconds(30)

const maxRedirects = 5

const maxAttempts = 3
const retryWait = Duration.seconds(30)

type FetchStep = Extract<ClaimedFile["step"], { readonly _tag: "Fetch" }>

class NoFile extends Schema.TaggedError<NoFile>()("NoFile", { message: Schema.String, status: Schema.Int }) {}

/** 0 if undeclared. If the bytes are compressed, more may arrive. */
const declaredSize = (headers: Headers.Headers): number => {
  const length = Number(headers["content-length"] ?? 0)
  return Number.isSafeInteger(length) && length >= 0 ? Math.min(length, maxVideoBytes) : 0
}

const receive = Effect.fnUntraced(function* (file: ClaimedFile, { url }: FetchStep) {
  const outbound = yield* Outbound
  const { media } = yield* Repo
  const { quota } = yield* MediaLibrary
  const request = HttpClientRequest.get(url)
  const response = yield* outbound.open({ request, timeout, maxBytes: maxVideoBytes, maxRedirects, http: true })
  const { body, headers, status } = response
  if (status !== 200) return yield* new NoFile({ message: `The server answered with the status ${status}`, status })
  const declared = declaredSize(headers)
  yield* media.reserve(file, { least: declared, most: declared }, quota)
  const bytes = reserveQuota(file, { declared, quota }, requireTotalTime(requireMinimumRate(body)))
  return yield* storeFile(file.workspaceId, file.id, bytes)
}, Effect.scoped)

const isTransient = (error: { readonly _tag: string; readonly status?: number }): boolean =>
  error._tag === "Unreachable" || error._tag === "TooSlow" || (error.status ?? 0) >= 500

export const fetchClaimed = Effect.fn("fetchClaimed")(function* (file: ClaimedFile, step: FetchStep) {
  const { media } = yield* Repo
  const failWith =
    (code: string) => (error: { readonly _tag: string; readonly message: string; readonly status?: number }) =>
      isTransient(error) && file.attempts < maxAttempts
        ? media.release(file, { wait: retryWait, counts: true })
        : media.settleFailed(file, { code, message: error.message } satisfies FileError)
  yield* receive(file, step).pipe(
    Effect.flatMap((received) => media.settleFetched(file, received)),
    Effect.catchTags({
      AddressRefused: failWith("address_refused"),
      Unreachable: failWith("unreachable"),
      TooManyRedirects: failWith("unreachable"),
      NoFile: failWith("unreachable"),
      TooSlow: failWith("unreachable"),
      ResponseTooLong: failWith("too_large"),
      MediaTooLarge: failWith("too_large"),
      MediaUnsupported: failWith("unsupported"),
      MediaQuotaExceeded: failWith("media_quota")
    })
  )
})
