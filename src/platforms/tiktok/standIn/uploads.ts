import { createHash } from "node:crypto"
import type { Respond, StandInResponse } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { postOf } from "../../../sandbox/state/entry.ts"
import * as limits from "../limits.ts"
import type { Job, Jobs, Processing } from "./jobs.ts"
import { tiktokError } from "./responses.ts"

const videoTypes = new Set(["video/mp4", "video/quicktime", "video/webm"])

/** As TikTok's ids do, it grows with time, and is above 2^53. */
export const videoId = (now: number, seed: string): string => {
  const random = createHash("sha256").update(seed).digest().readUInt32BE(0)
  return ((BigInt(Math.floor(now / 1000)) << 32n) | BigInt(random)).toString()
}

const progress = ({ received, size }: Job) => ({ "content-range": `bytes 0-${received}/${size}` })

/** The chunk that comes next. */
const expected = ({ chunk, chunks, count, received, size }: Job) => {
  const isLast = chunks.length === count - 1
  return { isLast, end: isLast ? size : received + chunk }
}

export interface Pace {
  /** In milliseconds: for processing a video, and then for naming it. */
  readonly processing: number
  readonly naming: number
}

/** Takes the chunks of a video, each once and in their order. The last one begins the publication. */
export const takeChunks =
  ({ files }: Pick<StandInMemory, "files">, jobs: Jobs, pace: Pace): Respond =>
  ({ bytes, fresh, headers, now, oddity, params }) => {
    const key = params["key"] ?? ""
    if (oddity?.kind === "forgotten_files") jobs.remove(key)
    const job = jobs.get(key)
    if (headers["authorization"] !== undefined) return tiktokError(400)
    if (job === undefined || job.sent !== undefined) return tiktokError(404)
    if (now >= job.begunAt + limits.uploadMinutes * 60_000) return tiktokError(403)
    const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers["content-range"] ?? "") ?? []
    const { end, isLast } = expected(job)
    if (Number(total) !== job.size || !videoTypes.has(headers["content-type"] ?? "")) return tiktokError(400)
    if (Number(from) !== job.received) return { ...tiktokError(416), headers: progress(job) }
    if (Number(to) !== end - 1 || bytes.byteLength !== end - job.received) return tiktokError(400)
    job.chunks.push(bytes)
    job.received = end
    if (!isLast) return { status: 206, headers: progress(job) }
    return publish(job, { files, fresh: fresh.access, now, pace, oddity })
  }

interface Publishing extends Pick<StandInMemory, "files"> {
  readonly fresh: string
  readonly now: number
  readonly oddity: Parameters<Respond>[0]["oddity"]
  readonly pace: Pace
}

const publish = (job: Job, { files, fresh, now, oddity, pace }: Publishing): StandInResponse => {
  const processing: Processing = oddity?.kind === "processing" ? oddity : {}
  const ms = processing.ms ?? pace.processing
  const postId = videoId(now, fresh)
  const { account, chunks, privacy, title } = job
  job.sent = {
    at: now,
    postId,
    processing: { ...processing, ms },
    idAfter: oddity?.kind === "lag" ? oddity.ms : pace.naming
  }
  const fileId = `tiktok-${postId}`
  const video = new Uint8Array(Buffer.concat(chunks))
  files.put(fileId, { bytes: video, contentType: sniff(video) ?? "video/mp4" })
  chunks.length = 0
  const entry = postOf(account, {
    id: postId,
    at: now,
    text: title,
    replySettings: privacy === "PUBLIC_TO_EVERYONE" ? null : privacy,
    media: [{ id: fileId, type: "video", alt: "" }],
    ...(ms > 0 ? { shownFrom: now + ms } : {})
  })
  return { status: 201, headers: progress(job), entries: processing.error === undefined ? [entry] : [] }
}
