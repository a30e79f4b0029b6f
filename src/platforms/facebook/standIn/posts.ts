import { Duration, Result, Schema } from "effect"
import { type Endpoint, endpoint, type RespondTo, type StandInRequest } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, postOf, type SandboxAccount, type SandboxPost } from "../../../sandbox/state/entry.ts"
import type { CallKind } from "../../../sandbox/state/faults.ts"
import type { State } from "../../../sandbox/state/state.ts"
import * as limits from "../limits.ts"
import { partial, takeBytes, uploadDone, uploadError } from "../../meta/standIn/takeBytes.ts"
import { digits } from "./accounts.ts"
import { isWhole, makeObjects, readyAt, statusOf } from "./objects.ts"
import { pageVideosOf } from "./pageVideos.ts"
import { facebookError, respond } from "./responses.ts"
import { authorizedAs, base, facebookTokens, standInVersion } from "./tokenEndpoints.ts"

const duplicateWindow = Duration.toMillis(Duration.minutes(10))

/** The list shows a post late. */
const usualLag = 3_000

const maxPhotos = 10

const readAttached = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ media_fbid: Schema.String })))
)

/** True for about one of six requests, if the sandbox's whims are switched on. */
const isWhim = ({ fresh, oddity }: StandInRequest): boolean =>
  oddity?.kind === "whims" && (fresh.family.codePointAt(0) ?? 0) % 6 === 0

const isForm = ({ headers }: StandInRequest): boolean =>
  headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true

const notVisible = facebookError(400, "not visible", "Unsupported request: the object does not exist")

export const postIdOf = (pageId: string, seed: string) => `${pageId}_12${digits(`post ${seed}`, 13)}`

/** A token posts for its own Page alone. */
const ofPage =
  (respondTo: RespondTo): RespondTo =>
  (account, request, state) =>
    request.params["id"] === account.id ? respondTo(account, request, state) : notVisible

const attachmentsOf = ({ media = [] }: SandboxPost) => {
  const targets = media.map(({ id, key = id }) => ({ target: { id: key } }))
  const [first, ...more] = targets
  if (first === undefined) return {}
  const isVideo = media.some(({ type }) => type === "video")
  return {
    attachments: {
      data: [
        more.length === 0
          ? { media_type: isVideo ? "video" : "photo", ...first }
          : { media_type: "album", subattachments: { data: targets } }
      ]
    }
  }
}

const reelCall = (body: string): CallKind =>
  new URLSearchParams(body).get("upload_phase") === "finish" ? "publish" : "upload"

/** An unpublished video gets its text by a request to the same address. */
const changeCall = (body: string): CallKind => (new URLSearchParams(body).has("description") ? "upload" : "publish")

export const facebookPosts = (memory: StandInMemory, objects = makeObjects()): ReadonlyArray<Endpoint> => {
  const { files, platform } = memory
  const authorized = authorizedAs(memory)
  const tokens = facebookTokens(memory)
  const { pageVideos, photos, posts, videos } = objects
  const pageVideo = pageVideosOf(memory, objects)

  const publishedOf = (state: State, { id }: Pick<SandboxAccount, "id">) =>
    state.posts().filter((post) => post.platform === platform && post.accountId === id)

  const makePhoto: RespondTo = (account, { form, fresh }) => {
    const source = form.get("source")
    if (form.get("published") !== "false")
      return facebookError(400, "bad parameter", "This Page takes unpublished photos")
    if (!(source instanceof Uint8Array)) return facebookError(400, "bad parameter", "source is required")
    const contentType = sniff(source)
    if (contentType === undefined || !/^image\/(?:jpeg|png|gif)$/.test(contentType)) {
      return facebookError(400, "bad parameter", "The photo is of an unknown type")
    }
    if (source.byteLength > limits.imageBytes) {
      return facebookError(400, "large photo", "Your photos couldn't be uploaded. Photos should be smaller than 4 MB")
    }
    const alt = form.get("alt_text_custom")
    const id = `12${digits(`photo ${fresh.access}`, 13)}`
    photos.put({ id, pageId: account.id, alt: typeof alt === "string" ? alt : "" })
    files.put(`facebook-${id}`, { bytes: source, contentType })
    return respond(200, { id })
  }

  const create: RespondTo = (account, request) => {
    const { fresh, now, oddity } = request
    const form = new URLSearchParams(isForm(request) ? request.body : "")
    const text = form.get("message") ?? ""
    const link = form.get("link") ?? undefined
    const attached = form.get("attached_media")
    // A post that is published at once can't be asked for after a lost answer.
    if (form.get("published") !== "false") return facebookError(400, "bad parameter", "published is not false")
    if (text.length > limits.text) return facebookError(400, "bad parameter", "The message is too long")
    if (link !== undefined && !/^https?:\/\/[^/]+\./.test(link)) {
      return facebookError(400, "bad link", "The url you supplied is invalid")
    }
    const read = attached === null ? undefined : readAttached(attached)
    if (read?._tag === "None") return facebookError(400, "bad parameter", "attached_media must be an array")
    const wanted = read?.value ?? []
    const found = wanted.flatMap(({ media_fbid }) => photos.of(account.id, media_fbid) ?? [])
    const isForgotten = oddity?.kind === "forgotten_files" && wanted.length > 0
    if (found.length !== wanted.length || isForgotten) return notVisible
    if (found.length > maxPhotos) return facebookError(400, "bad parameter", "Too many photos")
    if (text.trim() === "" && found.length === 0) return facebookError(400, "bad parameter", "Post is empty")
    const id = postIdOf(account.id, fresh.access)
    posts.put({
      id,
      pageId: account.id,
      at: now,
      text,
      link,
      media: found.map((photo) => ({ id: `facebook-${photo.id}`, key: photo.id, type: "image", alt: photo.alt })),
      isPublished: false
    })
    return respond(200, { id, post_supports_client_mutation_id: true })
  }

  /** A second request gives the same answer, and makes no second post. */
  const publish: RespondTo = (account, request, state) => {
    const id = request.params["id"] ?? ""
    const { now } = request
    if (pageVideos.of(account.id, id) !== undefined) return pageVideo.change(account, request, state)
    if (!isForm(request) || new URLSearchParams(request.body).get("is_published") !== "true") {
      return facebookError(400, "bad parameter", "is_published is required")
    }
    const known = posts.of(account.id, id)
    if (state.post(platform, account.id, id) !== undefined) return respond(200, { success: true })
    if (known === undefined) return notVisible
    if (known.isPublished) return notVisible
    const lastPostedAt = state.lastPostedAt(platform, account.id, known.text)
    // Photos are not compared.
    if (known.media.length === 0 && lastPostedAt !== undefined && now - lastPostedAt < duplicateWindow) {
      return facebookError(400, "duplicate", "Duplicate status message: it cannot be published consecutively")
    }
    const card =
      known.link === undefined ? {} : { card: { url: known.link, title: known.link, description: "", thumb: null } }
    const entry = postOf(account, { id, at: now, text: known.text, media: known.media, ...card })
    return { ...respond(200, { success: true }), entries: [entry] }
  }

  const startVideo = (account: SandboxAccount, { fresh, headers, oddity }: StandInRequest) => {
    const id = `13${digits(`video ${fresh.access}`, 13)}`
    videos.put({
      id,
      pageId: account.id,
      bytes: new Uint8Array(),
      size: undefined,
      processing: oddity?.kind === "processing" ? oddity : {},
      finished: []
    })
    const host = oddity?.kind === "nulls" ? "uploads.example" : (headers["host"] ?? "")
    return respond(200, {
      video_id: id,
      upload_url: `http://${host}/facebook/rupload/video-upload/${standInVersion}/${id}`
    })
  }

  /** The acknowledgement comes before the processing. Nobody knows what a second request does: this one posts again. */
  const finishVideo = (account: SandboxAccount, form: URLSearchParams, { now, oddity }: StandInRequest) => {
    const video = videos.of(account.id, form.get("video_id") ?? "")
    if (video === undefined) return notVisible
    if (!isWhole(video)) return facebookError(400, "bad file", "Problem with file. Try with another file.")
    if (oddity?.kind === "processing") video.processing = oddity
    video.finished.push(now)
    const { length: count } = video.finished
    const entry = postOf(account, {
      id: count === 1 ? video.id : `${video.id}${count}`,
      at: now,
      text: form.get("description") ?? "",
      media: [{ id: `facebook-${video.id}`, key: video.id, type: "video", alt: "" }],
      shownFrom: readyAt(video),
      record: { cid: video.id, value: { published: count } }
    })
    return { ...respond(200, { success: true }), entries: video.processing.error === undefined ? [entry] : [] }
  }

  const reels: RespondTo = (account, request) => {
    const form = new URLSearchParams(isForm(request) ? request.body : "")
    const phase = form.get("upload_phase")
    if (phase === "start") return startVideo(account, request)
    return phase === "finish" && form.get("video_state") === "PUBLISHED"
      ? finishVideo(account, form, request)
      : facebookError(400, "bad parameter", "upload_phase is start or finish")
  }

  const upload: RespondTo = (account, request) => {
    const video = videos.of(account.id, request.params["id"] ?? "")
    if (video === undefined) return uploadError("NotFound", "The upload does not exist")
    const taken = takeBytes(video.bytes, request)
    if (Result.isFailure(taken)) return taken.failure
    video.size = taken.success.size
    video.bytes = taken.success.bytes
    if (!isWhole(video)) return partial
    files.put(`facebook-${video.id}`, { bytes: video.bytes, contentType: sniff(video.bytes) ?? "video/mp4" })
    return uploadDone
  }

  /** The state of a post, photo or video; otherwise a Page. */
  const read: RespondTo = (account, request, state) => {
    const { now, params } = request
    const id = params["id"] ?? ""
    if (isWhim(request)) return notVisible
    const isOut = state.post(platform, account.id, id) !== undefined
    const known = pageVideos.of(account.id, id)
    if (known !== undefined) return pageVideo.read(account, known, now, state)
    const video = videos.of(account.id, id)
    if (video !== undefined) return respond(200, { id, status: statusOf(video, now) })
    if (isOut || posts.of(account.id, id) !== undefined) return respond(200, { id, is_published: isOut })
    // It is no sign of a publication: photos of no post have one, too.
    if (photos.of(account.id, id) !== undefined) return respond(200, { id, page_story_id: `${account.id}_${id}` })
    return tokens.page(account, request, state)
  }

  /** Ranked, not sorted. */
  const list: RespondTo = (account, { now, oddity, query }, state) => {
    const lag = oddity?.kind === "lag" ? oddity.ms : usualLag
    const limit = Math.min(Number(query.get("limit") ?? "25"), 100)
    const begin = Number(query.get("after") ?? "0")
    const ranked = publishedOf(state, account)
      .filter(({ at, shownFrom = 0 }) => now >= Math.max(at + lag, shownFrom))
      .toSorted((one, other) => digits(one.id, 6).localeCompare(digits(other.id, 6)))
    const shown = ranked.slice(begin, begin + limit).map((post) => ({
      id: post.id.includes("_") ? post.id : postIdOf(account.id, post.id),
      created_time: new Date(post.at).toISOString().replace(/\.\d{3}Z$/, "+0000"),
      ...(post.text.trim() === "" ? {} : { message: post.text.trim() }),
      ...attachmentsOf(post)
    }))
    const end = begin + shown.length
    const next = end < ranked.length ? { next: "https://graph.facebook.com/next" } : {}
    return respond(200, {
      data: shown,
      paging: { cursors: { before: String(begin), after: String(end) }, ...next }
    })
  }

  const remove: RespondTo = (account, { params }, state) => {
    const id = params["id"] ?? ""
    const post = state.post(platform, account.id, id)
    const isKnown = [posts, videos, pageVideos].some((all) => all.of(account.id, id) !== undefined)
    if (post === undefined && !isKnown) return notVisible
    posts.remove(id)
    videos.remove(id)
    pageVideos.remove(id)
    return { ...respond(200, { success: true }), entries: post === undefined ? [] : [deletionOf(post)] }
  }

  return [
    ...tokens.endpoints,
    endpoint("upload", "POST", `${base}/:id/photos`, authorized(ofPage(makePhoto))),
    endpoint("upload", "POST", `${base}/:id/feed`, authorized(ofPage(create))),
    endpoint(reelCall, "POST", `${base}/:id/video_reels`, authorized(ofPage(reels))),
    endpoint("upload", "POST", `${base}/:id/videos`, authorized(ofPage(pageVideo.upload))),
    endpoint("timeline", "GET", `${base}/:id/published_posts`, authorized(ofPage(list))),
    endpoint(changeCall, "POST", `${base}/:id`, authorized(publish)),
    endpoint("timeline", "GET", `${base}/:id`, authorized(read)),
    endpoint("delete", "DELETE", `${base}/:id`, authorized(remove)),
    endpoint(
      "upload",
      "POST",
      `/facebook/rupload/video-upload/${standInVersion}/:id`,
      authorizedAs(memory, "OAuth")(upload)
    )
  ]
}
