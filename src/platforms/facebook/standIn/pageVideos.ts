import type { RespondTo, StandInRequest } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { postOf, type SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { digits } from "./accounts.ts"
import type { Objects, PageVideo } from "./objects.ts"
import { facebookError, respond } from "./responses.ts"

/** Most bytes that one request may have. */
const mostBytes = 4 * 1024 * 1024

/** The time for which a video is processed after its upload. */
const usualProcessing = 20_000

/** The ids of videos that are no reels begin with this. */
export const isPageVideo = (id: string): boolean => /^14\d+$/.test(id)

const received = ({ parts }: PageVideo) => parts.reduce((sum, { byteLength }) => sum + byteLength, 0)

/** The bytes that are waited for, as strings. Both are the same once all have arrived. */
const waitedFor = (video: PageVideo) => {
  const start = received(video)
  const most = Math.min(mostBytes, Math.ceil(video.size / 3))
  return { start_offset: String(start), end_offset: String(Math.min(video.size, start + most)) }
}

const isDone = (video: PageVideo, now: number): boolean =>
  video.finishedAt !== undefined && now >= video.finishedAt + (video.processing.ms ?? usualProcessing)

const statusOf = (video: PageVideo, now: number) => {
  const uploading = (status: string) => ({ uploading_phase: { status, bytes_transferred: received(video) } })
  if (video.finishedAt === undefined) return { video_status: "uploading", ...uploading("in_progress") }
  const uploaded = uploading("complete")
  if (!isDone(video, now)) {
    return { video_status: "processing", ...uploaded, processing_phase: { status: "in_progress" } }
  }
  const { error: message } = video.processing
  return message === undefined
    ? { video_status: "ready", ...uploaded, processing_phase: { status: "complete" } }
    : { video_status: "error", ...uploaded, processing_phase: { status: "error", error: { message } } }
}

const notVisible = facebookError(400, "not visible", "Unsupported request: the object does not exist")

/** Videos that are no reels: uploaded in parts, processed unseen, and made visible by a request of their own. */
export const pageVideosOf = ({ files, platform }: StandInMemory, { pageVideos }: Pick<Objects, "pageVideos">) => {
  const start = (account: SandboxAccount, form: URLSearchParams, { fresh, oddity }: StandInRequest) => {
    const size = Number(form.get("file_size") ?? "0")
    if (!Number.isInteger(size) || size <= 0) return facebookError(400, "bad parameter", "file_size is required")
    const id = `14${digits(`page video ${fresh.access}`, 13)}`
    const video: PageVideo = {
      id,
      session: `15${digits(`session ${fresh.access}`, 13)}`,
      pageId: account.id,
      size,
      parts: [],
      processing: oddity?.kind === "processing" ? oddity : {},
      finishedAt: undefined,
      text: ""
    }
    pageVideos.put(video)
    return respond(200, { video_id: id, upload_session_id: video.session, ...waitedFor(video) })
  }

  /** A session ends with its upload. */
  const inSession = (account: SandboxAccount, session: unknown) =>
    pageVideos.find(account.id, (video) => video.session === session && video.finishedAt === undefined)

  const transfer = (account: SandboxAccount, { form, oddity }: StandInRequest) => {
    const video = inSession(account, form.get("upload_session_id"))
    const bytes = form.get("video_file_chunk")
    if (video === undefined) return notVisible
    if (!(bytes instanceof Uint8Array)) return facebookError(400, "bad file", "No Video Selected")
    const expected = waitedFor(video)
    if (form.get("start_offset") !== expected.start_offset) {
      return facebookError(400, "wrong offset", "There was a problem uploading your video.", expected)
    }
    if (oddity?.kind === "nulls" || bytes.byteLength > Number(expected.end_offset) - Number(expected.start_offset)) {
      return facebookError(400, "partial file", "There was a problem uploading your video.")
    }
    video.parts.push(bytes)
    return respond(200, waitedFor(video))
  }

  const finish = (account: SandboxAccount, form: URLSearchParams, { now, oddity }: StandInRequest) => {
    const video = inSession(account, form.get("upload_session_id"))
    if (video === undefined) return notVisible
    // A video that is published at once can't be asked for after a lost answer.
    if (form.get("published") !== "false") return facebookError(400, "bad parameter", "published is not false")
    if (received(video) !== video.size) return facebookError(400, "bad file", "Problem with file.")
    if (oddity?.kind === "processing") video.processing = oddity
    video.finishedAt = now
    const bytes = new Uint8Array(Buffer.concat(video.parts))
    files.put(`facebook-${video.id}`, { bytes, contentType: sniff(bytes) ?? "video/mp4" })
    return respond(200, { success: true })
  }

  const upload: RespondTo = (account, request) => {
    const form = new URLSearchParams(request.form.size === 0 ? request.body : "")
    switch (form.get("upload_phase") ?? request.form.get("upload_phase")) {
      case "start":
        return start(account, form, request)
      case "transfer":
        return transfer(account, request)
      case "finish":
        return finish(account, form, request)
      default:
        return facebookError(400, "bad parameter", "upload_phase is start, transfer or finish")
    }
  }

  /** A second request to publish gives the same answer, and makes no second post. */
  const change: RespondTo = (account, { body, now, params }, state) => {
    const video = pageVideos.of(account.id, params["id"] ?? "")
    if (video === undefined) return notVisible
    const form = new URLSearchParams(body)
    const { processing } = video
    if (form.get("published") !== "true") {
      const text = form.get("description")
      if (text === null) return facebookError(400, "bad parameter", "Nothing to change")
      video.text = text
      return respond(200, { success: true })
    }
    if (state.post(platform, account.id, video.id) !== undefined) return respond(200, { success: true })
    if (!isDone(video, now) || processing.error !== undefined) {
      return facebookError(400, "bad file", "The video can't be published")
    }
    const media = [{ id: `facebook-${video.id}`, key: video.id, type: "video" as const, alt: "" }]
    const entry = postOf(account, { id: video.id, at: now, text: video.text, media })
    return { ...respond(200, { success: true }), entries: [entry] }
  }

  const read = (account: SandboxAccount, video: PageVideo, now: number, state: State) =>
    respond(200, {
      id: video.id,
      published: state.post(platform, account.id, video.id) !== undefined,
      status: statusOf(video, now)
    })

  return { upload, change, read }
}
