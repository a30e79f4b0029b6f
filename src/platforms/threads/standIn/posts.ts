import { Duration } from "effect"
import { endpoint, type RespondTo, type StandInRequest } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, postOf, type SandboxAccount, type SandboxPost } from "../../../sandbox/state/entry.ts"
import type { CallKind } from "../../../sandbox/state/faults.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { threads as facts } from "../facts.ts"
import { type Containers, makeContainers, statusOf } from "./containers.ts"
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

export const threadsPosts = ({ limit }: StandInMemory, containers: Containers = makeContainers()) => {
  const isOverLimit = (account: SandboxAccount, isReply: boolean, state: State, now: number): boolean => {
    const counted = postsOf(state, account).filter(
      ({ at, reply }) => now - at < day && (reply !== undefined) === isReply
    )
    return counted.length >= limit(isReply ? limits.repliesPerDay : limits.postsPerDay)
  }

  const create: RespondTo = (account, request, state) => {
    const { fresh, headers, now, oddity } = request
    // Threads ignores members of JSON bodies.
    const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
    const form = new URLSearchParams(isForm ? request.body : "")
    const text = form.get("text") ?? ""
    const replyTo = form.get("reply_to_id") ?? undefined
    if (form.get("media_type") !== "TEXT") return threadsError(400, "bad parameter", "media_type is required")
    if (text.trim() === "") return threadsError(400, "bad parameter", "text is required")
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
    const post = { accountId: account.id, kind: "TEXT" as const, text, replyTo, replyControl, media: [] }
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

  const remove: RespondTo = (account, { params }, state) => {
    const post = byMediaId(state, account, params["id"] ?? "")
    return post === undefined
      ? threadsError(400, "not visible", "Unsupported delete request")
      : { ...respond(200, { success: true }), entries: [deletionOf(post)] }
  }

  const limitOf: RespondTo = (account, { now }, state) => {
    const recent = postsOf(state, account).filter(({ at }) => now - at < day)
    const replies = recent.filter(({ reply }) => reply !== undefined).length
    return respond(200, {
      data: [
        {
          quota_usage: recent.length - replies,
          config: { quota_total: limits.postsPerDay, quota_duration: 86_400 },
          reply_quota_usage: replies,
          reply_config: { quota_total: limits.repliesPerDay, quota_duration: 86_400 }
        }
      ]
    })
  }

  const publishCall = (body: string): CallKind =>
    containers.get(new URLSearchParams(body).get("creation_id") ?? "")?.replyTo === undefined ? "publish" : "reply"

  return [
    endpoint("upload", "POST", "/threads/v1.0/me/threads", authorized(create)),
    endpoint(publishCall, "POST", "/threads/v1.0/me/threads_publish", authorized(publish)),
    endpoint("timeline", "GET", "/threads/v1.0/me/threads", authorized(timeline(false))),
    endpoint("timeline", "GET", "/threads/v1.0/me/replies", authorized(timeline(true))),
    endpoint("identity", "GET", "/threads/v1.0/me/threads_publishing_limit", authorized(limitOf)),
    endpoint("identity", "GET", "/threads/v1.0/me", authorized(me)),
    endpoint("upload", "GET", "/threads/v1.0/:id", authorized(read)),
    endpoint("delete", "DELETE", "/threads/v1.0/:id", authorized(remove))
  ]
}
