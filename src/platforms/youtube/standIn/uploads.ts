import { DateTime } from "effect"
import { createHash } from "node:crypto"
import type { RespondTo, StandInRequest, StandInResponse } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import * as limits from "../limits.ts"
import { readMetadata } from "./checks.ts"
import { readRelated } from "./related.ts"
import { respond, youtubeError } from "./responses.ts"
import { received, resourceOf, type Video, type Videos } from "./videos.ts"

const { chunkBytes, uploadsPerDay } = limits

export const videoIdOf = (seed: string): string =>
  createHash("sha256").update(`video ${seed}`).digest("base64url").slice(0, 11)

/** Google counts days in California. */
const dayOf = (now: number): string =>
  DateTime.formatIsoDate(DateTime.setZoneNamedUnsafe(DateTime.makeUnsafe(now), "America/Los_Angeles"))

const ended: StandInResponse = { status: 404, body: "Not Found" }

/** How much has arrived. Without a byte, there is no range. */
const arrived = (video: Video): StandInResponse => {
  const size = received(video)
  return { status: 308, ...(size === 0 ? {} : { headers: { range: `bytes=0-${size - 1}` } }) }
}

/** Takes a chunk. One that is not the last has a multiple of 256 KiB. */
const take = (video: Video, range: RegExpExecArray, bytes: Uint8Array, isCut: boolean): StandInResponse | undefined => {
  const [from = 0, to = 0, total = 0] = range.slice(1).map(Number)
  if (total !== video.size || to - from + 1 !== bytes.byteLength) return youtubeError(400, "badRequest", "Bad range")
  if (to + 1 < total && bytes.byteLength % chunkBytes !== 0) return youtubeError(400, "badRequest", "Bad chunk size")
  if (from !== received(video)) return arrived(video)
  const half = Math.floor(bytes.byteLength / 2)
  video.parts.push(isCut ? bytes.subarray(0, half - (half % chunkBytes)) : bytes)
  return received(video) === video.size ? undefined : arrived(video)
}

const noContent = youtubeError(400, "mediaBodyRequired", "The request does not include the video content")

/**
 * Resumable uploads, and those of one request, which Google's own client makes. Bytes that overlap, or leave a gap, are
 * not stored.
 */
export const uploadsOf = (
  { files, limit }: StandInMemory,
  videos: Videos
): { readonly start: RespondTo; readonly session: RespondTo } => {
  /** The uploads of the whole application on each day. */
  const begun = new Map<string, number>()

  const begin = (
    account: Parameters<RespondTo>[0],
    { fresh, now, oddity }: StandInRequest,
    { body, size }: { readonly body: string; readonly size: number }
  ): Video | StandInResponse => {
    const metadata = readMetadata(body, "nothing")
    if (!("snippet" in metadata)) return metadata
    if (!Number.isInteger(size) || size <= 0) return noContent
    const used = begun.get(dayOf(now)) ?? 0
    if (used >= limit(uploadsPerDay)) return youtubeError(403, "quotaExceeded", "You have exceeded your quota")
    begun.set(dayOf(now), used + 1)
    const { snippet, status } = metadata
    const video: Video = {
      id: videoIdOf(fresh.access),
      channel: account.id,
      session: fresh.refresh,
      size,
      parts: [],
      uploadedAt: undefined,
      processing: oddity?.kind === "processing" ? oddity : {},
      snippet,
      // Since November 2026, a video without this is public.
      status: { privacyStatus: "public", ...status },
      publishedAt: undefined
    }
    videos.put(video)
    return video
  }

  const finish = (video: Video, now: number): StandInResponse => {
    const whole = new Uint8Array(Buffer.concat(video.parts))
    files.put(`youtube-${video.id}`, { bytes: whole, contentType: sniff(whole) ?? "video/mp4" })
    video.uploadedAt = now
    return respond(201, resourceOf(video, now))
  }

  const start: RespondTo = (account, request) => {
    const { body, headers, now, oddity, query } = request
    if (query.get("uploadType") === "multipart") {
      const related = readRelated(request)
      if (related === undefined) return noContent
      const { file, metadata } = related
      const whole = begin(account, request, { body: metadata, size: file.byteLength })
      if (!("channel" in whole)) return whole
      whole.parts.push(file)
      return finish(whole, now)
    }
    if (query.get("uploadType") !== "resumable") return noContent
    const size = Number(headers["x-upload-content-length"] ?? "0")
    const video = begin(account, request, { body, size })
    if (!("channel" in video)) return video
    const host = oddity?.kind === "nulls" ? "uploads.example" : (headers["host"] ?? "")
    const location = `http://${host}/google/upload/youtube/v3/videos?uploadType=resumable&upload_id=${video.session}`
    return { status: 200, headers: { location } }
  }

  /** Bytes, or the question of how many have arrived. Once all have, the answer stays the same. */
  const session: RespondTo = (account, { bytes, headers, now, oddity, query }) => {
    const video = videos.inSession(account.id, query.get("upload_id") ?? "")
    if (video === undefined || oddity?.kind === "forgotten_files") return ended
    // As third parties have seen it.
    if (oddity?.kind === "whims") return arrived(video)
    const asked = headers["content-range"] ?? `bytes 0-${bytes.byteLength - 1}/${bytes.byteLength}`
    if (video.uploadedAt === undefined) {
      const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(asked)
      if (range === null) {
        return asked === `bytes */${video.size}` ? arrived(video) : youtubeError(400, "badRequest", "Bad range")
      }
      const unfinished = take(video, range, bytes, oddity?.kind === "nulls")
      if (unfinished !== undefined) return unfinished
      if (oddity?.kind === "processing") video.processing = oddity
      return finish(video, now)
    }
    return respond(201, resourceOf(video, now))
  }

  return { start, session }
}
