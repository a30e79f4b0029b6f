import { createHash } from "node:crypto"
import { Duration } from "effect"
import { bearerToken, endpoint, type Respond, type RespondTo } from "../../../sandbox/endpoint.ts"
import { keepNewest, sniff } from "../../../sandbox/media/files.ts"
import * as limits from "../limits.ts"
import type { Blobs } from "./blobs.ts"
import { pdsError } from "./responses.ts"
import { authorized } from "./sessions.ts"

const maxVideo = limits.videoBytes
const usualProcessing = 1000
/** By app.bsky.video.defs. */
const usualFailure = "encoding_failure"
const longestAccess = Duration.toSeconds("1 hour")
const maxKept = 1000
/** The types that the service makes an MP4 of, by the ends of their names. */
const types: Readonly<Record<string, string>> = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  gif: "image/gif"
}
const uploadBlob = "com.atproto.repo.uploadBlob"

interface Access {
  readonly did: string
  readonly method: string
  /** In Unix seconds. */
  readonly until: number
}

interface Job {
  readonly did: string
  readonly readyAt: number
  readonly error: string | undefined
  readonly failureCode: string
  readonly cid: string
  readonly size: number
}

/** Stands for a re-encoded video: differs from the uploaded bytes, but is the same each time. */
const processed = (bytes: Uint8Array): Uint8Array => Buffer.concat([bytes, Buffer.from("\0\0\0\u{8}free", "latin1")])

const describe = (jobId: string, { cid, did, error, failureCode, readyAt, size }: Job, now: number) => {
  const job = { jobId, did }
  if (now < readyAt) return { ...job, state: "JOB_STATE_ENCODING", progress: 50 }
  if (error !== undefined) return { ...job, state: "JOB_STATE_FAILED", failureCode, message: error }
  const blob = { $type: "blob", ref: { $link: cid }, mimeType: "video/mp4", size }
  return { ...job, state: "JOB_STATE_COMPLETED", progress: 100, blob }
}

/** Bluesky's video service, and the request for a PDS's permission to use it. Both keep their state in memory. */
export const videoService = (blobs: Blobs) => {
  const accesses = new Map<string, Access>()
  const jobs = new Map<string, Job>()

  const authorize: RespondTo = ({ id: did }, { fresh, now, query }) => {
    const until = Number(query.get("exp") ?? now / 1000 + 60)
    const audience = query.get("aud") ?? ""
    if (!/^did:web:[^:]+$/.test(audience)) return pdsError(400, "InvalidRequest", "Params must have a valid aud")
    if (!(until > now / 1000 && until <= now / 1000 + longestAccess)) return pdsError(400, "BadExpiration")
    keepNewest(accesses, maxKept, fresh.access, { did, method: query.get("lxm") ?? "", until })
    return { status: 200, body: { token: fresh.access } }
  }

  const upload: Respond = (request) => {
    const { bytes, now, oddity, query } = request
    const access = accesses.get(bearerToken(request) ?? "")
    if (access === undefined || access.until <= now / 1000 || access.method !== uploadBlob) return pdsError(401)
    const { did } = access
    const type = types[/\.(\w+)$/.exec(query.get("name") ?? "")?.[1] ?? ""]
    if (query.get("did") !== did || type === undefined) return pdsError(400)
    if (bytes.byteLength > maxVideo) return pdsError(413)
    if (sniff(bytes) !== type) return pdsError(400, "InvalidRequest", `The file is not of type ${type}`)
    const jobId = createHash("sha256").update(did).update(bytes).digest("hex").slice(0, 22)
    const stored = processed(bytes)
    const cid = blobs.put(did, stored, "video/mp4", type)
    const known = jobs.get(jobId)
    if (known !== undefined && known.error === undefined) {
      const { state } = describe(jobId, known, now)
      return { status: 409, body: { jobId, did, state, error: "already_exists", message: "Video already processed" } }
    }
    const { code = usualFailure, error, ms = usualProcessing } = oddity?.kind === "processing" ? oddity : {}
    const job = { did, readyAt: now + ms, error, failureCode: code, cid, size: stored.byteLength }
    keepNewest(jobs, maxKept, jobId, job)
    return { status: 200, body: { jobId, did, state: "JOB_STATE_CREATED", progress: 0 } }
  }

  const status: Respond = ({ now, query }) => {
    const jobId = query.get("jobId") ?? ""
    const job = jobs.get(jobId)
    return job === undefined
      ? pdsError(400, "InvalidRequest", "Job not found")
      : { status: 200, body: { jobStatus: describe(jobId, job, now) } }
  }

  return [
    endpoint("upload", "GET", "/xrpc/com.atproto.server.getServiceAuth", authorized(authorize)),
    endpoint("upload", "POST", "/xrpc/app.bsky.video.uploadVideo", upload),
    endpoint("upload", "GET", "/xrpc/app.bsky.video.getJobStatus", status)
  ]
}
