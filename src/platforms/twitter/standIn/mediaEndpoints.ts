import { Option, Result, Schema } from "effect"
import { measureAlt } from "../../../domain/media/altLength.ts"
import { type Endpoint, endpoint, type RespondTo, type StandInRequest, strictBody } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import * as limits from "../limits.ts"
import { authorized, perWindow, twitterInvalidRequest } from "./responses.ts"
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
const AltText = Schema.String.check(
  Schema.isMinLength(1),
  Schema.makeFilter((text) => measureAlt("code points", text) <= limits.alt)
)
const readMetadata = strictBody(
  Schema.Struct({
    id: Schema.String,
    metadata: Schema.Struct({
      alt_text: Schema.Struct({ text: AltText })
    })
  })
)

const isJson = ({ headers }: StandInRequest): boolean => (headers["content-type"] ?? "").startsWith("application/json")

const fileIn = ({ form }: StandInRequest): Option.Option<Uint8Array> => {
  const media = form.get("media")
  return media instanceof Uint8Array ? Option.some(media) : Option.none()
}

const invalid = (message: string) => twitterInvalidRequest([{ path: [], message }])

const answer = <A>(outcome: Result.Result<A, string>) =>
  Result.match(outcome, { onFailure: invalid, onSuccess: (data) => ({ status: 200, body: { data } }) })

const processing = ({ oddity }: StandInRequest) => (oddity?.kind === "processing" ? oddity : {})

const readPart = (request: StandInRequest) =>
  isJson(request)
    ? Option.getSuccess(readSegment(request.body))
    : Option.all({
        media: fileIn(request),
        segment_index: decodeIndex(Number(request.form.get("segment_index") ?? Number.NaN))
      })

const readWhole = (request: StandInRequest) =>
  isJson(request)
    ? Option.getSuccess(readOneShot(request.body))
    : Option.all({ media: fileIn(request), media_category: decodeCategory(request.form.get("media_category")) })

export const twitterMedia = (memory: StandInMemory, uploads: Uploads) => {
  let created = 0
  const nextId = (now: number) => tweetId(now, ++created)

  const initialize: RespondTo = (account, { body, now }) =>
    Result.match(readInitialize(body), {
      onFailure: twitterInvalidRequest,
      onSuccess: ({ media_category, media_type, total_bytes }) => {
        const upload = { category: media_category, contentType: media_type, totalBytes: total_bytes }
        return answer(uploads.begin(account.id, nextId(now), upload, now))
      }
    })

  const append: RespondTo = (account, request) => {
    const part = readPart(request)
    if (Option.isNone(part)) return invalid("a segment has media and a segment_index from 0 to 999")
    const { media, segment_index } = part.value
    if (media.byteLength > maxSegmentBytes) return { status: 413 }
    const appended = uploads.append(account.id, request.params["id"] ?? "", segment_index, media, request.now)
    return answer(Result.map(appended, (expiresAt) => ({ expires_at: Math.floor(expiresAt / 1000) })))
  }

  const finalize: RespondTo = (account, request) =>
    answer(uploads.finalize(account.id, request.params["id"] ?? "", processing(request), request.now))

  const status: RespondTo = (account, { now, query }) =>
    query.get("command") === "STATUS"
      ? answer(uploads.status(account.id, query.get("media_id") ?? "", now))
      : invalid("command is STATUS")

  const upload: RespondTo = (account, request) => {
    const read = readWhole(request)
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
  }

  const metadata: RespondTo = (account, { body, now }) =>
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

  const route = (method: "GET" | "POST", path: Endpoint["path"], requests: number, respond: RespondTo) =>
    endpoint("upload", method, path, authorized(perWindow(memory, requests, respond)))

  return [
    route("POST", "/2/media/upload/initialize", 1875, initialize),
    route("POST", "/2/media/upload/:id/append", 1875, append),
    route("POST", "/2/media/upload/:id/finalize", 1875, finalize),
    route("GET", "/2/media/upload", 1000, status),
    route("POST", "/2/media/upload", 500, upload),
    route("POST", "/2/media/metadata", 500, metadata)
  ]
}
