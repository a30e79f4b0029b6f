import { DateTime } from "effect"
import { createHash } from "node:crypto"
import type { RespondTo, StandInResponse } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import * as limits from "../limits.ts"
import { readMetadata } from "./checks.ts"
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

/** Resumable uploads. The bytes that overlap with others, or leave a gap, are not stored. */
export const uploadsOf = (
  { files, limit }: StandInMemory,
  videos: Videos
): { readonly start: RespondTo; readonly session: RespondTo } => {
  /** The uploads of the whole application on each day. */
  const begun = new Map<string, number>()

  const start: RespondTo = (account, { body, fresh, headers, now, oddity, query }) => {
    const metadata = readMetadata(body, "nothing")
    if (!("snippet" in metadata)) return metadata
    const size = Number(headers["x-upload-content-length"] ?? "0")
    if (query.get("uploadType") !== "resumable" || !Number.isInteger(size) || size <= 0) {
      return youtubeError(400, "mediaBodyRequired", "The request does not include the video content")
    }
    const used = begun.get(dayOf(now)) ?? 0
    if (used >= limit(uploadsPerDay)) return youtubeError(403, "quotaExceeded", "You have exceeded your quota")
    begun.set(dayOf(now), used + 1)
    const { snippet, status } = metadata
    videos.put({
      id: videoIdOf(fresh.access),
      channel: account.id,
      session: fresh.refresh,
      size,
      contentType: headers["x-upload-content-type"] ?? "video/*",
      parts: [],
      uploadedAt: undefined,
      processing: oddity?.kind === "processing" ? oddity : {},
      snippet,
      // Since November 2026, a video without this is public.
      status: { privacyStatus: "public", ...status },
      publishedAt: undefined
    })
    const host = oddity?.kind === "nulls" ? "uploads.example" : (headers["host"] ?? "")
    const location = `http://${host}/google/upload/youtube/v3/videos?uploadType=resumable&upload_id=${fresh.refresh}`
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
      const whole = new Uint8Array(Buffer.concat(video.parts))
      files.put(`youtube-${video.id}`, { bytes: whole, contentType: sniff(whole) ?? "video/mp4" })
      video.uploadedAt = now
      if (oddity?.kind === "processing") video.processing = oddity
    }
    return respond(201, resourceOf(video, now))
  }

  return { start, session }
}
