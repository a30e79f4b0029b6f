import { Clock, Duration, Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, Unavailable, UploadsGone } from "../../domain/publishing/platformError.ts"
import { type Call, CallTimeout, type PlatformResponse, readResponse } from "../call.ts"
import { failAt, orUnavailable, unanswered } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { platformDetail } from "../platformText.ts"
import { Token } from "../syntax.ts"
import type { BlueskyApi } from "./api.ts"
import { Blob, type EmbeddedFile } from "./embed.ts"
import { query, rateLimited, refusedPut } from "./xrpc.ts"

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const JobStatus = Schema.Struct({
  jobId: Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,256}$/)),
  state: Schema.String,
  blob: optional(Blob),
  error: optional(Schema.String),
  message: optional(Schema.String),
  failureCode: optional(Schema.String)
})
const readToken = readResponse(Schema.Struct({ token: Token }))
/** The status may be wrapped in `jobStatus`. */
const readStatus = readResponse(Schema.Union([Schema.Struct({ jobStatus: JobStatus }), JobStatus]))
/** A refusal may lack the members of a job. */
const Refusal = Schema.Struct({ error: Schema.String, message: optional(Schema.String) })
const readRefusal = readResponse(Schema.Union([Schema.Struct({ jobStatus: Refusal }), Refusal]))

const ownerActs: ReadonlyMap<string, string> = new Map([
  ["unconfirmed_email", "Confirm your email address in Bluesky (Settings, Account) before you post a video"],
  ["profile_not_found", "Bluesky finds no profile for this account; open it in Bluesky once before you post a video"]
])

const alreadyExists = "already_exists"

/** The video service may store the video on the PDS for this long. */
export const tokenLifetime = Duration.minutes(30)
const uploadTimeout = Duration.minutes(15)
export const checkInterval = Duration.seconds(2)

const nameEnds: Readonly<Record<string, string>> = {
  "video/quicktime": "mov",
  "video/webm": "webm",
  "image/gif": "gif"
}

/** `blob` is null until the video is processed. `failure` is the reason of a job that may succeed if started again. */
interface VideoJob {
  readonly jobId: string
  readonly blob: Blob | null
  readonly failure?: string
}

/** Failures that the video itself causes (`failureCode` in app.bsky.video.defs), so another job would fail too. */
const ownFailures: ReadonlySet<string> = new Set([
  "validation_failure",
  "encoding_failure",
  "pds_upload_unsupported_blob_size"
])

const statusOf = (response: PlatformResponse) =>
  Option.map(readStatus(response), (read) => ("jobStatus" in read ? read.jobStatus : read))

const refusalOf = (response: PlatformResponse) =>
  Option.getOrUndefined(Option.map(readRefusal(response), (read) => ("jobStatus" in read ? read.jobStatus : read)))

const ownerRefusal = (response: PlatformResponse): Rejected | undefined => {
  const message = ownerActs.get(refusalOf(response)?.error ?? "")
  return message === undefined ? undefined : new Rejected({ message })
}

const refused = (response: PlatformResponse): Effect.Effect<never, PlatformError> => {
  if (response.status === 429) return rateLimited(response)
  const { error, message: reason } = refusalOf(response) ?? {}
  const detail = platformDetail(reason ?? error ?? "") || `status ${response.status}`
  const message = `Bluesky's video service did not accept the video: ${detail}`
  // A 409 is about a video that the service knows, and is no refusal of it.
  return response.status >= 500 || response.status === 401 || response.status === 409
    ? new Unavailable({ message })
    : new Rejected({ message })
}

/** A blob counts whatever the state: a job for a video that the service knows can be marked as failed. */
const readJob = ({
  blob = null,
  error,
  failureCode,
  jobId,
  message,
  state
}: typeof JobStatus.Type): Effect.Effect<VideoJob, Rejected> => {
  if (blob !== null || state !== "JOB_STATE_FAILED") return Effect.succeed({ jobId, blob })
  const reason = platformDetail(message ?? error ?? failureCode ?? "it does not say why")
  const failure = `Bluesky could not process the video: ${reason}`
  return ownFailures.has(failureCode ?? "")
    ? new Rejected({ message: failure })
    : Effect.succeed({ jobId, blob, failure })
}

/** The answer to an upload. For a known video it is a refusal that names the video's job. */
const readUpload = (answer: PlatformResponse): Effect.Effect<VideoJob, PlatformError> => {
  const job = statusOf(answer)
  if (Option.isNone(job)) return refused(answer)
  const { blob = null, error, jobId } = job.value
  return error === alreadyExists ? Effect.succeed({ jobId, blob }) : readJob(job.value)
}

/** Bluesky's video service re-encodes the file, so a reference to the blob exists only after processing. */
export const makeVideoService = (api: BlueskyApi, serviceUrl: string, call: Call) => {
  const authorize = Effect.fnUntraced(function* (account: AccountAccess) {
    const { url } = yield* api.pds(account)
    const exp = Math.floor((yield* Clock.currentTimeMillis) / 1000 + Duration.toSeconds(tokenLifetime))
    const params = { aud: `did:web:${new URL(url).hostname}`, lxm: "com.atproto.repo.uploadBlob", exp: String(exp) }
    const response = yield* api
      .send(account, (pdsUrl) => query(pdsUrl, "com.atproto.server.getServiceAuth", params))
      .pipe(Effect.catchTag("NoResponse", unanswered))
    if (response.status !== 200) {
      return yield* Effect.catchTag(
        failAt((now) => refusedPut(response, now)),
        "OutcomeUnknown",
        ({ message }) => new Unavailable({ message })
      )
    }
    const read = readToken(response)
    return Option.isSome(read)
      ? read.value.token
      : yield* new Unavailable({ message: "Bluesky's response to a request for access can't be read" })
  })

  const ask = Effect.fn("Bluesky.videoJob")(function* (jobId: string) {
    const response = yield* orUnavailable(call(query(serviceUrl, "app.bsky.video.getJobStatus", { jobId })))
    const refusal = ownerRefusal(response)
    if (refusal !== undefined) return yield* refusal
    const job = response.status === 200 ? statusOf(response) : Option.none()
    if (Option.isSome(job)) return yield* readJob(job.value)
    // The video service has lost the job.
    return yield* Effect.catchTag(refused(response), "Rejected", ({ message }) => new UploadsGone({ message }))
  })

  const begin = Effect.fn("Bluesky.uploadVideo")(function* (
    { contentType, hash, size }: Pick<EmbeddedFile, "contentType" | "hash" | "size">,
    account: AccountAccess
  ): Effect.fn.Return<VideoJob, PlatformError | DatabaseUnavailable> {
    const token = yield* authorize(account)
    const params = { did: account.accountId, name: `${hash}.${nameEnds[contentType] ?? "mp4"}` }
    const sent = yield* call(
      HttpClientRequest.post(`${serviceUrl}/xrpc/app.bsky.video.uploadVideo`, {
        acceptJson: true,
        urlParams: params
      }).pipe(
        HttpClientRequest.bearerToken(token),
        HttpClientRequest.bodyStream(account.files.read(hash), { contentType, contentLength: size })
      )
    ).pipe(orUnavailable, Effect.provideService(CallTimeout, uploadTimeout))
    const refusal = ownerRefusal(sent)
    if (refusal !== undefined) return yield* refusal
    return yield* readUpload(sent)
  })

  const repeat = Effect.fn("Bluesky.processVideo")(function* (
    ...[file, account]: Parameters<typeof begin>
  ): Effect.fn.Return<Blob, PlatformError | UploadsGone | DatabaseUnavailable> {
    let job = yield* begin(file, account)
    while (job.blob === null) {
      yield* Effect.sleep(checkInterval)
      job = yield* ask(job.jobId)
      if (job.failure !== undefined) return yield* new Unavailable({ message: job.failure })
    }
    return job.blob
  })

  return { begin, ask, repeat }
}
