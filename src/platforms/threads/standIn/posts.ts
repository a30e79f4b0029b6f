import { Duration, Result } from "effect"
import { sniff } from "../../../sandbox/media/files.ts"
import { endpoint, type RespondTo, type StandInRequest, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, postOf, type SandboxAccount, type SandboxPost } from "../../../sandbox/state/entry.ts"
import type { CallKind } from "../../../sandbox/state/faults.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { threads as facts } from "../facts.ts"
import { type Containers, makeContainers, type NewPost, statusOf } from "./containers.ts"
import { containerIdOf, keyOf, mediaIdOf } from "./ids.ts"
import { authorized, respond, threadsError } from "./responses.ts"

const { limits } = facts
const day = Duration.toMillis(Duration.days(1))

/** Timelines show a post late. */
const usualLag = 3_000

const encoder = new TextEncoder()

/** Different links, counted in the stand-in's own way. */
const countLinks = (text: string): number => new Set(text.match(/https?:\/\/[^\s<>"]+/g) ?? []).size

/** Threads trims a text, and shows its first tag as a topic, without the `#`. */
const shownText = (text: string): string => text.trim().replace(/#(?=[\p{L}\p{N}_])/u, "")

const postsOf = (state: State, { id }: Pick<SandboxAccount, "id">) =>
  state.posts().filter(({ accountId, platform }) => platform === "threads" && accountId === id)

const byMediaId = (state: State, account: Pick<SandboxAccount, "id">, mediaId: string) =>
  postsOf(state, account).find(({ id }) => mediaIdOf(id) === mediaId)

const permalinkOf = ({ id, username }: SandboxPost) => `${facts.site}/@${username}/post/${id}`

const shownKind = ({ media = [] }: SandboxPost): string => {
  const [first, ...more] = media
  if (first === undefined) return "TEXT_POST"
  return more.length > 0 ? "CAROUSEL_ALBUM" : first.type === "video" ? "VIDEO" : "IMAGE"
}

const shownPost = (post: SandboxPost) => ({
  id: mediaIdOf(post.id),
  permalink: permalinkOf(post),
  timestamp: new Date(post.at).toISOString().replace(/\.\d{3}Z$/, "+0000"),
  text: shownText(post.text),
  media_type: shownKind(post),
  is_reply: post.reply !== undefined,
  ...(post.reply === undefined ? {} : { replied_to: { id: post.reply.parent }, root_post: { id: post.reply.root } })
})

const isKind = (kind: string): kind is NewPost["kind"] => ["TEXT", "IMAGE", "VIDEO", "CAROUSEL"].includes(kind)

/** True for about one of six requests, if the sandbox's whims are switched on. */
const isWhim = ({ fresh, oddity }: StandInRequest): boolean =>
  oddity?.kind === "whims" && (fresh.family.codePointAt(0) ?? 0) % 6 === 0

const timeline =
  (replies: boolean): RespondTo =>
  (account, { now, oddity, query }, state) => {
    const lag = oddity?.kind === "lag" ? oddity.ms : usualLag
    const since = Number(query.get("since") ?? "0") * 1000
    const limit = Math.min(Number(query.get("limit") ?? "25"), 100)
    const begin = Number(query.get("after") ?? "0")
    const all = postsOf(state, account)
      .filter((post) => (post.reply !== undefined) === replies && post.at >= since)
      .filter(({ at, shownFrom = 0 }) => now >= Math.max(at + lag, shownFrom))
      .toReversed()
    const page = all.slice(begin, begin + limit)
    const end = begin + page.length
    return respond(200, {
      data: page.map(shownPost),
      paging: { cursors: { before: String(begin), ...(end < all.length ? { after: String(end) } : {}) } }
    })
  }

const me: RespondTo = ({ displayName, id, username }) => respond(200, { id, username, name: displayName })

const remove: RespondTo = (account, { params }, state) => {
  const post = byMediaId(state, account, params["id"] ?? "")
  return post === undefined
    ? threadsError(400, "not visible", "Unsupported delete request")
    : { ...respond(200, { success: true }), entries: [deletionOf(post)] }
}

export const threadsPosts = ({ files, limit }: StandInMemory, containers: Containers = makeContainers()) => {
  const isOverLimit = (account: SandboxAccount, isReply: boolean, state: State, now: number): boolean => {
    const counted = postsOf(state, account).filter(
      ({ at, reply }) => now - at < day && (reply !== undefined) === isReply
    )
    return counted.length >= limit(isReply ? limits.repliesPerDay : limits.postsPerDay)
  }

  /** The files of a new container. Their bytes are kept for the sandbox's pages. */
  const mediaIn = (
    account: SandboxAccount,
    kind: NewPost["kind"],
    form: URLSearchParams,
    request: StandInRequest
  ): Result.Result<NewPost["media"], StandInResponse> => {
    if (kind === "TEXT") return Result.succeed([])
    if (kind === "CAROUSEL") {
      const children = (form.get("children") ?? "").split(",").map((id) => containers.of(account.id, id))
      const isComplete = children.length >= 2 && children.length <= 20 && !children.includes(undefined)
      if (!isComplete) return Result.fail(threadsError(400, "bad parameter", "Invalid children"))
      const isReady = children.every((child) => child && statusOf(child, request.now) === "FINISHED")
      return isReady
        ? Result.succeed(children.flatMap((child) => child?.media ?? []))
        : Result.fail(threadsError(400, "children not ready", "Children are not ready"))
    }
    const url = form.get(kind === "VIDEO" ? "video_url" : "image_url") ?? ""
    const file = request.fetched?.get(url)
    // Without a network, as in the simulation, every file is there.
    if (request.fetched !== undefined && (file === undefined || isWhim(request))) {
      return Result.fail(threadsError(400, "not fetched", "The media could not be fetched from this URI"))
    }
    const type = file === undefined ? undefined : sniff(file.bytes)
    const types = kind === "VIDEO" ? ["video/mp4", "video/quicktime"] : ["image/jpeg", "image/png"]
    if (type !== undefined && !types.includes(type)) {
      return Result.fail(threadsError(400, "bad parameter", "The media is not of a supported type"))
    }
    const id = `threads-${containerIdOf(request.fresh.refresh)}`
    if (file !== undefined) files.put(id, { ...file, contentType: type ?? file.contentType })
    return Result.succeed([{ id, type: kind === "VIDEO" ? "video" : "image", alt: form.get("alt_text") ?? "" }])
  }

  const create: RespondTo = (account, request, state) => {
    const { fresh, headers, now, oddity } = request
    // Threads ignores members of JSON bodies.
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
    const form = new URLSearchParams(isForm ? request.body : "")
    const text = form.get("text") ?? ""
    const replyTo = form.get("reply_to_id") ?? undefined
    const kind = form.get("media_type") ?? ""
    if (!isKind(kind)) return threadsError(400, "bad parameter", "media_type is required")
    const media = mediaIn(account, kind, form, request)
    if (Result.isFailure(media)) return media.failure
    if (media.success.length === 0 && text.trim() === "") return threadsError(400, "bad parameter", "text is required")
    if (encoder.encode(text).byteLength > limits.text) {
      return threadsError(400, "bad parameter", "Param text must be at most 500 characters long.")
    }
    if (countLinks(text) > limits.links) return threadsError(400, "link limit", "Too many links")
    const topic = form.get("topic_tag")
    if (topic !== null && !/^[^.&]{1,50}$/u.test(topic)) return threadsError(400, "bad parameter", "Invalid topic_tag")
    const parent = replyTo === undefined ? undefined : byMediaId(state, account, replyTo)
    if (replyTo !== undefined && (parent === undefined || now < (parent.repliesFrom ?? 0))) {
      return threadsError(400, "not found", "The requested resource does not exist")
    }
    const id = containerIdOf(fresh.access)
    const replyControl = form.get("reply_control") ?? undefined
    const post = { accountId: account.id, kind, text, replyTo, replyControl, media: media.success }
    containers.make(id, post, now, oddity?.kind === "processing" ? oddity : {})
    return respond(200, { id })
  }

  const read: RespondTo = (account, request, state) => {
    const { now, params, query } = request
    const id = params["id"] ?? ""
    const container = containers.of(account.id, id)
    if (isWhim(request)) return threadsError(400, "not visible", "Unsupported get request")
    if (container !== undefined) {
      const status = statusOf(container, now)
      return respond(200, { id, status, ...(status === "ERROR" ? { error_message: container.error } : {}) })
    }
    const post = byMediaId(state, account, id)
    if (post === undefined) return threadsError(400, "not visible", "Unsupported get request")
    if (query.get("fields")?.split(",").includes("status") === true) {
      return threadsError(400, "bad parameter", "Tried accessing nonexisting field (status)")
    }
    return respond(200, { id, permalink: permalinkOf(post) })
  }

  const publish: RespondTo = (account, request, state) => {
    const { body, now, oddity } = request
    const container = containers.of(account.id, new URLSearchParams(body).get("creation_id") ?? "")
    const isReady = container !== undefined && ["FINISHED", "PUBLISHED"].includes(statusOf(container, now))
    if (!isReady || isWhim(request) || oddity?.kind === "forgotten_files") {
      return threadsError(400, "not found", "The requested resource does not exist")
    }
    if (isOverLimit(account, container.replyTo !== undefined, state, now)) {
      return threadsError(400, "daily limit", "The maximum number of posts is reached")
    }
    const parent = container.replyTo === undefined ? undefined : byMediaId(state, account, container.replyTo)
    // Nobody knows what a second publication of a container does. This one posts again.
    container.published += 1
    const post = postOf(account, {
      id: keyOf(`${container.id} ${container.published}`),
      at: now,
      text: container.text,
      media: container.media,
      replySettings: container.replyControl ?? null,
      ...(container.replyTo === undefined
        ? {}
        : { reply: { root: parent?.reply?.root ?? container.replyTo, parent: container.replyTo } }),
      // Tests compare these: two posts of one container are a failure of the service.
      record: { cid: container.id, value: { published: container.published } },
      ...(oddity?.kind === "unseen" ? { repliesFrom: now + oddity.ms } : {})
    })
    return { ...respond(200, { id: mediaIdOf(post.id) }), entries: [post] }
  }

  const publishCall = (body: string): CallKind =>
    containers.get(new URLSearchParams(body).get("creation_id") ?? "")?.replyTo === undefined ? "publish" : "reply"

  return [
    endpoint("upload", "POST", "/threads/v1.0/me/threads", authorized(create), (body) => {
      const form = new URLSearchParams(body)
      return [form.get("image_url"), form.get("video_url")].filter((url) => url !== null)
    }),
    endpoint(publishCall, "POST", "/threads/v1.0/me/threads_publish", authorized(publish)),
    endpoint("timeline", "GET", "/threads/v1.0/me/threads", authorized(timeline(false))),
    endpoint("timeline", "GET", "/threads/v1.0/me/replies", authorized(timeline(true))),
    endpoint("identity", "GET", "/threads/v1.0/me", authorized(me)),
    endpoint("upload", "GET", "/threads/v1.0/:id", authorized(read)),
    endpoint("delete", "DELETE", "/threads/v1.0/:id", authorized(remove))
  ]
}
