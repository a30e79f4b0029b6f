import { Duration, Effect, Option, Result, Schema, Stream } from "effect"
import { HttpServerResponse, Multipart } from "effect/http"
import { sniff } from "../../../sandbox/media/sniff.ts"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { StandInContext } from "../../../sandbox/StandIn.ts"
import { type StandInRequest, standInRoute } from "../../../sandbox/standInRoute.ts"
import { strictBody } from "../../../sandbox/strictBody.ts"
import { makeWindowLimit } from "../../../sandbox/windowLimit.ts"
import { authorized } from "./authorized.ts"
import { twitterError, twitterInvalidRequest, twitterLimitHeaders } from "./responses.ts"
import { tweetId } from "./tweet.ts"
import { maxSegmentBytes, maxSegmentIndex, mediaCategories, type Uploads } from "./uploads.ts"

const readInitialize = strictBody(
  Schema.Struct({
    media_type: Schema.String,
    total_bytes: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    media_category: Schema.Literals(mediaCategories)
  })
)
const SegmentIndex = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxSegmentIndex }))
const decodeIndex = Schema.decodeUnknownOption(SegmentIndex)
const readSegment = strictBody(Schema.Struct({ media: Schema.Uint8ArrayFromBase64, segment_index: SegmentIndex }))
const readOneShot = strictBody(
  Schema.Struct({
    media: Schema.Uint8ArrayFromBase64,
    media_category: Schema.Literals(mediaCategories),
    media_type: Schema.optionalKey(Schema.String)
  })
)
const decodeCategory = Schema.decodeUnknownOption(Schema.Literals(mediaCategories))
const readMetadata = strictBody(
  Schema.Struct({
    id: Schema.String,
    metadata: Schema.Struct({
      alt_text: Schema.Struct({ text: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000)) })
    })
  })
)

const limitWindow = Duration.toMillis(Duration.minutes(15))

const isJson = ({ headers }: StandInRequest): boolean => (headers["content-type"] ?? "").startsWith("application/json")

interface Form {
  readonly fields: ReadonlyMap<string, string>
  readonly media: Option.Option<Uint8Array>
}

/** Empty if the body is not multipart. */
const readForm = ({ bytes, headers }: StandInRequest): Effect.Effect<Form> =>
  Effect.suspend(() => {
    const fields = new Map<string, string>()
    let media = Option.none<Uint8Array>()
    return Stream.make(bytes).pipe(
      Stream.pipeThroughChannel(Multipart.makeChannel(headers)),
      Stream.runForEach((part) =>
        Multipart.isField(part)
          ? Effect.sync(() => fields.set(part.key, part.value))
          : Effect.map(part.contentEffect, (content) => {
              if (part.key === "media") media = Option.some(content)
            })
      ),
      Effect.ignore,
      Effect.map(() => ({ fields, media }))
    )
  })

const invalid = (message: string) => twitterInvalidRequest([{ path: [], message }])

const answer = <A>(outcome: Result.Result<A, string>) =>
  Result.match(outcome, {
    onFailure: invalid,
    onSuccess: (data) => HttpServerResponse.jsonUnsafe({ data })
  })

const processing = ({ oddity }: StandInRequest) => (oddity?.kind === "processing" ? oddity : {})

const readPart = Effect.fnUntraced(function* (request: StandInRequest) {
  if (isJson(request)) return Option.getSuccess(readSegment(request.body))
  const { fields, media } = yield* readForm(request)
  return Option.all({ media, segment_index: decodeIndex(Number(fields.get("segment_index") ?? Number.NaN)) })
})

const readWhole = Effect.fnUntraced(function* (request: StandInRequest) {
  if (isJson(request)) return Option.getSuccess(readOneShot(request.body))
  const { fields, media } = yield* readForm(request)
  return Option.all({ media, media_category: decodeCategory(fields.get("media_category")) })
})

/** With X's limits per user and 15 minutes. */
export const twitterMedia = (context: StandInContext, uploads: Uploads) => {
  let created = 0

  const route = (
    method: "GET" | "POST",
    path: "/2/media/upload" | `/2/media/${string}`,
    perWindow: number,
    respond: (account: SandboxAccount, request: StandInRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  ) => {
    const limit = makeWindowLimit(context.limit(perWindow), limitWindow)
    return standInRoute(context, "upload", method, path, (request) =>
      authorized(context.store, request, (account) => {
        const use = limit.use(account.id, 1, request.now)
        return Effect.map(
          use.allowed ? respond(account, request) : Effect.succeed(twitterError(429)),
          HttpServerResponse.setHeaders(twitterLimitHeaders(use))
        )
      })
    )
  }

  const nextId = (now: number) => tweetId(now, ++created)

  const initialize = (account: SandboxAccount, { body, now }: StandInRequest) =>
    Effect.sync(() =>
      Result.match(readInitialize(body), {
        onFailure: twitterInvalidRequest,
        onSuccess: ({ media_category, media_type, total_bytes }) =>
          answer(
            uploads.begin(
              account.id,
              nextId(now),
              { category: media_category, contentType: media_type, totalBytes: total_bytes },
              now
            )
          )
      })
    )

  const append = Effect.fnUntraced(function* (account: SandboxAccount, request: StandInRequest) {
    const part = yield* readPart(request)
    if (Option.isNone(part)) return invalid("a segment has media and a segment_index from 0 to 999")
    const { media, segment_index } = part.value
    if (media.byteLength > maxSegmentBytes) return HttpServerResponse.empty({ status: 413 })
    return answer(
      Result.map(
        uploads.append(account.id, request.params["id"] ?? "", segment_index, media, request.now),
        (expiresAt) => ({ expires_at: Math.floor(expiresAt / 1000) })
      )
    )
  })

  const finalize = (account: SandboxAccount, request: StandInRequest) =>
    Effect.sync(() =>
      answer(uploads.finalize(account.id, request.params["id"] ?? "", processing(request), request.now))
    )

  const status = (account: SandboxAccount, { now, query }: StandInRequest) =>
    Effect.sync(() =>
      query.get("command") === "STATUS"
        ? answer(uploads.status(account.id, query.get("media_id") ?? "", now))
        : invalid("command is STATUS")
    )

  const upload = Effect.fnUntraced(function* (account: SandboxAccount, request: StandInRequest) {
    const read = yield* readWhole(request)
    if (Option.isNone(read)) return invalid("media and media_category are required")
    const { media, media_category } = read.value
    const { now } = request
    const id = nextId(now)
    const whole = { category: media_category, contentType: sniff(media) ?? "", totalBytes: media.byteLength }
    return answer(
      uploads.begin(account.id, id, whole, now).pipe(
        Result.flatMap(() => uploads.append(account.id, id, 0, media, now)),
        Result.flatMap(() => uploads.finalize(account.id, id, processing(request), now))
      )
    )
  })

  const metadata = (account: SandboxAccount, { body, now }: StandInRequest) =>
    Effect.sync(() =>
      Result.match(readMetadata(body), {
        onFailure: twitterInvalidRequest,
        onSuccess: ({ id, metadata: { alt_text } }) =>
          answer(
            Result.map(uploads.describe(account.id, id, alt_text.text, now), () => ({
              id,
              associated_metadata: { alt_text }
            }))
          )
      })
    )

  return [
    route("POST", "/2/media/upload/initialize", 1875, initialize),
    route("POST", "/2/media/upload/:id/append", 1875, append),
    route("POST", "/2/media/upload/:id/finalize", 1875, finalize),
    route("GET", "/2/media/upload", 1000, status),
    route("POST", "/2/media/upload", 500, upload),
    route("POST", "/2/media/metadata", 500, metadata)
  ]
}
