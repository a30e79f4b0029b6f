import { createHash } from "node:crypto"
import { Duration, Result } from "effect"
import { type Files, keepNewest, sniff } from "../../../sandbox/media/files.ts"
import type { SandboxMedia } from "../../../sandbox/state/entry.ts"
import * as limits from "../limits.ts"

const megabyte = 1024 * 1024
const { gifBytes, imageBytes, uploadSegments, videoBytes } = limits
const video = { type: "video", maxBytes: videoBytes, contentTypes: ["video/mp4", "video/quicktime"] } as const

const categories = {
  tweet_image: {
    type: "image",
    key: 3,
    maxBytes: imageBytes,
    contentTypes: ["image/jpeg", "image/png", "image/webp"]
  },
  tweet_gif: { type: "gif", key: 16, maxBytes: gifBytes, contentTypes: ["image/gif"] },
  tweet_video: { ...video, key: 7 },
  amplify_video: { ...video, key: 13 }
} as const

export const mediaCategories = ["tweet_image", "tweet_gif", "tweet_video", "amplify_video"] as const
type Category = (typeof mediaCategories)[number]

/** Undocumented. Reports say that something in front of X refuses 5 MB, so a service must stay below that. */
export const maxSegmentBytes = 2 * megabyte
export const maxSegmentIndex = uploadSegments - 1
const uploadLifetime = Duration.toMillis(Duration.days(15)) - 1000
const readyLifetime = Duration.toMillis(Duration.hours(24))
const usualProcessing = 1000
const maxUploads = 10_000

interface Upload {
  readonly id: string
  readonly owner: string
  readonly category: Category
  readonly contentType: string
  readonly totalBytes: number
  readonly segments: Map<number, { readonly size: number; readonly hash: string }>
  /** The end of processing; undefined before the upload is finalized. */
  readyAt?: number
  finalizedAt?: number
  error?: string
  expiresAt: number
  alt: string
  used: boolean
}

type Outcome<A> = Result.Result<A, string>

const segmentId = (id: string, index: number) => `x-${id}-${index}`

const stateOf = ({ error, finalizedAt, readyAt }: Upload, now: number) => {
  if (readyAt === undefined || finalizedAt === undefined) return undefined
  if (now >= readyAt) return error === undefined ? "succeeded" : "failed"
  return now - finalizedAt < (readyAt - finalizedAt) / 2 ? "pending" : "in_progress"
}

const show = (upload: Upload, now: number) => {
  const { category, error, expiresAt, id, readyAt, totalBytes } = upload
  const state = stateOf(upload, now)
  const waiting = state === "pending" || state === "in_progress"
  return {
    id,
    media_key: `${categories[category].key}_${id}`,
    expires_after_secs: Math.max(0, Math.floor((expiresAt - now) / 1000)),
    ...(state === undefined ? {} : { size: totalBytes }),
    ...(state === undefined || categories[category].type === "image"
      ? {}
      : {
          processing_info: {
            state,
            ...(waiting ? { check_after_secs: Math.max(1, Math.ceil(((readyAt ?? now) - now) / 1000)) } : {}),
            ...(state === "failed" ? { error: { code: 1, name: "InvalidMedia", message: error } } : {}),
            ...(state === "succeeded" ? { progress_percent: 100 } : {})
          }
        })
  }
}

export interface Processing {
  readonly ms?: number
  readonly error?: string
}

export const makeUploads = (files: Files) => {
  const uploads = new Map<string, Upload>()

  const find = (owner: string, id: string, now: number): Outcome<Upload> => {
    const upload = uploads.get(id)
    return upload === undefined || upload.owner !== owner || now >= upload.expiresAt
      ? Result.fail(`Could not find media with id [${id}]`)
      : Result.succeed(upload)
  }

  const begin = (
    owner: string,
    id: string,
    { category, contentType, totalBytes }: Pick<Upload, "category" | "contentType" | "totalBytes">,
    now: number
  ): Outcome<ReturnType<typeof show>> => {
    const rule = categories[category]
    if (!rule.contentTypes.some((one) => one === contentType)) {
      return Result.fail(`media type [${contentType}] is not of category [${category}]`)
    }
    if (totalBytes > rule.maxBytes) return Result.fail(`File size exceeds ${rule.maxBytes} bytes.`)
    const upload: Upload = {
      id,
      owner,
      category,
      contentType,
      totalBytes,
      segments: new Map(),
      expiresAt: now + uploadLifetime,
      alt: "",
      used: false
    }
    keepNewest(uploads, maxUploads, id, upload)
    return Result.succeed(show(upload, now))
  }

  /** An assumption: a repeated segment has to be the same. */
  const append = (owner: string, id: string, index: number, bytes: Uint8Array, now: number): Outcome<number> =>
    Result.flatMap(find(owner, id, now), (upload) => {
      if (upload.readyAt !== undefined) return Result.fail("The media was finalized already")
      if (bytes.byteLength === 0) return Result.fail("A segment has a byte or more")
      const hash = createHash("sha256").update(bytes).digest("hex")
      const before = upload.segments.get(index)
      if (before !== undefined && before.hash !== hash)
        return Result.fail(`Segment [${index}] was sent with other bytes`)
      upload.segments.set(index, { size: bytes.byteLength, hash })
      files.put(segmentId(id, index), { bytes, contentType: upload.contentType })
      return Result.succeed(upload.expiresAt)
    })

  /** The whole file; undefined if segments were forgotten to save space. */
  const join = ({ id, segments }: Upload): Uint8Array | undefined => {
    const parts = [...segments.keys()].map((index) => files.get(segmentId(id, index))?.bytes)
    for (const index of segments.keys()) files.remove(segmentId(id, index))
    const whole = parts.filter((part) => part !== undefined)
    return whole.length < parts.length ? undefined : new Uint8Array(Buffer.concat(whole))
  }

  const finalize = (owner: string, id: string, processing: Processing, now: number): Outcome<ReturnType<typeof show>> =>
    Result.flatMap(find(owner, id, now), (upload) => {
      if (upload.readyAt !== undefined) return Result.succeed(show(upload, now))
      const sizes = [...upload.segments.values()].map(({ size }) => size)
      const missing = sizes.findIndex((_, index) => !upload.segments.has(index))
      if (sizes.length === 0 || missing !== -1)
        return Result.fail(`Segments do not add up: segment [${Math.max(0, missing)}] is missing`)
      if (sizes.reduce((sum, size) => sum + size, 0) !== upload.totalBytes) {
        return Result.fail("Segments do not add up to provided total file size.")
      }
      const inOrder = { ...upload, segments: new Map([...upload.segments].toSorted(([a], [b]) => a - b)) }
      const bytes = join(inOrder)
      if (bytes !== undefined && sniff(bytes) !== upload.contentType) return Result.fail("media type unrecognized.")
      if (bytes !== undefined) files.put(`x-${id}`, { bytes, contentType: upload.contentType })
      const isImage = categories[upload.category].type === "image"
      upload.finalizedAt = now
      upload.readyAt = now + (isImage ? 0 : (processing.ms ?? usualProcessing))
      upload.expiresAt = now + readyLifetime
      if (processing.error !== undefined) upload.error = processing.error
      return Result.succeed(show(upload, now))
    })

  const describe = (owner: string, id: string, alt: string, now: number): Outcome<void> =>
    Result.map(find(owner, id, now), (upload) => {
      upload.alt = alt
    })

  /** Marks files as used, so that no later post can use them. */
  const use = (owner: string, ids: ReadonlyArray<string>, now: number): Outcome<ReadonlyArray<SandboxMedia>> => {
    const found = ids.map((id) => find(owner, id, now))
    const known = found.flatMap((upload) => (Result.isSuccess(upload) ? [upload.success] : []))
    const ready = known.filter((upload) => !upload.used && stateOf(upload, now) === "succeeded")
    if (ready.length < ids.length || new Set(ids).size < ids.length) return Result.fail("Your media IDs are invalid.")
    const types = ready.map(({ category }) => categories[category].type)
    if (ready.length > 4 || (types.length > 1 && types.some((type) => type !== "image"))) {
      return Result.fail("A post has at most 4 photos, or 1 animated GIF, or 1 video.")
    }
    for (const upload of ready) upload.used = true
    return Result.succeed(
      ready.map(({ alt, category, id }) => ({
        id: `x-${id}`,
        key: `${categories[category].key}_${id}`,
        type: categories[category].type,
        alt
      }))
    )
  }

  const status = (owner: string, id: string, now: number) =>
    Result.map(find(owner, id, now), (upload) => show(upload, now))

  const forget = (ids: ReadonlyArray<string>) => {
    for (const id of ids) uploads.delete(id)
  }

  return { begin, append, finalize, describe, status, use, forget }
}

export type Uploads = ReturnType<typeof makeUploads>
