import { createHash } from "node:crypto"
import { Result, Schema } from "effect"
import {
  bearerToken,
  type Endpoint,
  endpoint,
  type RespondTo,
  type Respond,
  type StandInRequest,
  strictBody
} from "../../../sandbox/endpoint.ts"
import { keepNewest, sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import type { SandboxAccount, SandboxMedia } from "../../../sandbox/state/entry.ts"
import * as limits from "../limits.ts"
import { isPageUrn } from "../syntax.ts"
import { inputError, linkedinError, makeAuthorized, versioned } from "./responses.ts"

const maxUploads = 10_000
const partBytes = 4 * 1024 * 1024
/** In milliseconds. */
const usualTime = { image: 1_000, video: 2_000 }

interface Upload {
  readonly urn: string
  readonly kind: "image" | "video"
  readonly owner: string
  readonly size: number
  readonly parts: Map<number, { readonly etag: string; readonly bytes: Uint8Array }>
  readonly processing: { readonly ms?: number | undefined; readonly error?: string | undefined }
  contentType: string | undefined
  readyAt: number | undefined
}

const readImage = strictBody(Schema.Struct({ initializeUploadRequest: Schema.Struct({ owner: Schema.String }) }))
const readVideo = strictBody(
  Schema.Struct({
    initializeUploadRequest: Schema.Struct({
      owner: Schema.String,
      fileSizeBytes: Schema.Int.check(
        Schema.isBetween({ minimum: limits.smallestVideoBytes, maximum: limits.videoBytes })
      ),
      uploadCaptions: Schema.Boolean,
      uploadThumbnail: Schema.Boolean
    })
  })
)
const readFinalize = strictBody(
  Schema.Struct({
    finalizeUploadRequest: Schema.Struct({
      video: Schema.String,
      uploadToken: Schema.String,
      uploadedPartIds: Schema.Array(Schema.String)
    })
  })
)

const stateOf = ({ contentType, processing, readyAt }: Upload, now: number) => {
  if (readyAt === undefined) return "WAITING_UPLOAD"
  if (now < readyAt) return "PROCESSING"
  return contentType === undefined || processing.error !== undefined ? "PROCESSING_FAILED" : "AVAILABLE"
}

const isInitialize = ({ query }: StandInRequest) => query.get("action") === "initializeUpload"

export const makeUploads = (memory: StandInMemory, mayPostAs: (account: SandboxAccount, author: string) => boolean) => {
  const uploads = new Map<string, Upload>()
  const authorized = makeAuthorized(memory)

  const begin = (kind: Upload["kind"], owner: string, size: number, { fresh, oddity }: StandInRequest): Upload => {
    const urn = `urn:li:${kind}:${fresh.access.slice(0, 16)}`
    const processing = oddity?.kind === "processing" ? oddity : {}
    const upload = { urn, kind, owner, size, parts: new Map(), processing, contentType: undefined, readyAt: undefined }
    keepNewest(uploads, maxUploads, urn, upload)
    return upload
  }
  const urlOf = ({ headers }: StandInRequest, { kind, urn }: Upload, part: number) =>
    `http://${headers["host"] ?? ""}/dms-uploads/linkedin/${kind}/${encodeURIComponent(urn)}/${part}`

  const images: RespondTo = (account, request) => {
    const read = readImage(request.body)
    if (!isInitialize(request) || Result.isFailure(read)) return inputError("MISSING_FIELD", "owner is required")
    const { owner } = read.success.initializeUploadRequest
    if (!mayPostAs(account, owner)) return linkedinError(403)
    const upload = begin("image", owner, 0, request)
    const value = {
      uploadUrlExpiresAt: request.now + 3_600_000,
      uploadUrl: urlOf(request, upload, 0),
      image: upload.urn
    }
    return { status: 200, body: { value } }
  }

  const finish = (upload: Upload, now: number) => {
    const bytes = Buffer.concat([...upload.parts].toSorted(([a], [b]) => a - b).map(([, part]) => part.bytes))
    const type = sniff(bytes)
    upload.contentType =
      type !== undefined && (upload.kind === "video" ? type === "video/mp4" : /^image\/(?:jpeg|png|gif)$/.test(type))
        ? type
        : undefined
    memory.files.put(upload.urn, { bytes, contentType: type ?? "application/octet-stream" })
    upload.parts.clear()
    upload.readyAt = now + (upload.processing.ms ?? usualTime[upload.kind])
  }

  const putImage: RespondTo = (account, { bytes, now, params }) => {
    const upload = uploads.get(params["urn"] ?? "")
    if (upload === undefined || !mayPostAs(account, upload.owner)) return linkedinError(404)
    upload.parts.set(0, { etag: "", bytes })
    finish(upload, now)
    return { status: 201 }
  }

  /** LinkedIn refuses a token here. */
  const putPart: Respond = (request) => {
    const { bytes, params } = request
    const upload = uploads.get(params["urn"] ?? "")
    if (bearerToken(request) !== undefined)
      return linkedinError(400, "ILLEGAL_ARGUMENT", "No authorization is expected")
    if (upload === undefined) return linkedinError(404)
    const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`
    upload.parts.set(Number(params["part"]), { etag, bytes })
    return { status: 200, headers: { etag } }
  }

  const videos: RespondTo = (account, request) => {
    if (request.query.get("action") === "finalizeUpload") {
      const read = readFinalize(request.body)
      if (Result.isFailure(read)) return inputError("MISSING_FIELD", "video and uploadedPartIds are required")
      const { uploadedPartIds, video } = read.success.finalizeUploadRequest
      const upload = uploads.get(video)
      if (upload === undefined || !mayPostAs(account, upload.owner)) return linkedinError(404)
      const etags = [...upload.parts].toSorted(([a], [b]) => a - b).map(([, { etag }]) => etag)
      const isWhole = etags.length === Math.ceil(upload.size / partBytes)
      if (!isWhole || JSON.stringify(etags) !== JSON.stringify(uploadedPartIds)) {
        return inputError("INVALID_VALUE_FOR_FIELD", "uploadedPartIds are not those of all parts, in their order")
      }
      finish(upload, request.now)
      return { status: 200, body: {} }
    }
    const read = readVideo(request.body)
    if (!isInitialize(request) || Result.isFailure(read)) {
      return inputError("INVALID_VALUE_FOR_FIELD", "fileSizeBytes is out of range, or a member is missing")
    }
    const { fileSizeBytes, owner } = read.success.initializeUploadRequest
    if (!mayPostAs(account, owner)) return linkedinError(403)
    const upload = begin("video", owner, fileSizeBytes, request)
    const uploadInstructions = Array.from({ length: Math.ceil(fileSizeBytes / partBytes) }, (_, part) => ({
      uploadUrl: urlOf(request, upload, part),
      firstByte: part * partBytes,
      lastByte: Math.min((part + 1) * partBytes, fileSizeBytes) - 1
    }))
    return { status: 200, body: { value: { video: upload.urn, uploadToken: "", uploadInstructions } } }
  }

  /** A member's token can't read the state of an image. */
  const show =
    (kind: Upload["kind"]): RespondTo =>
    (account, { now, params }) => {
      if (kind === "image" && !isPageUrn(account.id)) {
        return linkedinError(403, "ACCESS_DENIED", "Not enough permissions to access: GET /images")
      }
      const upload = uploads.get(params["urn"] ?? "")
      return upload?.kind === kind && mayPostAs(account, upload.owner)
        ? { status: 200, body: { id: upload.urn, owner: upload.owner, status: stateOf(upload, now) } }
        : linkedinError(404)
    }

  const mediaType = ({ contentType, kind }: Upload): SandboxMedia["type"] =>
    kind === "video" ? "video" : contentType === "image/gif" ? "gif" : "image"

  /** The files of a post, or the code of the error. Other people see the post once all are processed. */
  const use = (
    owner: string,
    named: ReadonlyArray<{ readonly id: string; readonly altText?: string }>,
    now: number
  ) => {
    const found = named.map(({ altText = "", id }) => ({ alt: altText, upload: uploads.get(id) }))
    const media: Array<SandboxMedia> = []
    let shownFrom = 0
    for (const { alt, upload } of found) {
      // The stand-in forgets its files when its process ends, which LinkedIn does not.
      if (upload === undefined) return "MEDIA_ASSET_WAITING_UPLOAD"
      if (upload.owner !== owner) return "INVALID_URN_ID"
      const state = stateOf(upload, now)
      if (state === "WAITING_UPLOAD") return "MEDIA_ASSET_WAITING_UPLOAD"
      if (state === "PROCESSING_FAILED") return "MEDIA_ASSET_PROCESSING_FAILED"
      shownFrom = Math.max(shownFrom, upload.readyAt ?? 0)
      media.push({ id: upload.urn, type: mediaType(upload), alt })
    }
    return { media, shownFrom }
  }

  const endpoints: ReadonlyArray<Endpoint> = [
    endpoint("upload", "POST", "/rest/images", versioned(authorized(images))),
    endpoint("upload", "GET", "/rest/images/:urn", versioned(authorized(show("image")))),
    endpoint("upload", "PUT", "/dms-uploads/linkedin/image/:urn/:part", authorized(putImage)),
    endpoint("upload", "POST", "/rest/videos", versioned(authorized(videos))),
    endpoint("upload", "GET", "/rest/videos/:urn", versioned(authorized(show("video")))),
    endpoint("upload", "PUT", "/dms-uploads/linkedin/video/:urn/:part", putPart)
  ]

  return {
    endpoints,
    use,
    forget: (urn: string) => {
      const upload = uploads.get(urn)
      if (upload !== undefined) upload.readyAt = undefined
    }
  }
}

export type LinkedinUploads = ReturnType<typeof makeUploads>
