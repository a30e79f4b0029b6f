import { Duration, Result } from "effect"
import { endpoint, type RespondTo, type StandInRequest, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { postOf, type SandboxAccount, type SandboxPost } from "../../../sandbox/state/entry.ts"
import type { CallKind } from "../../../sandbox/state/faults.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { type Containers, makeContainers, type NewPost, statusOf } from "../../meta/standIn/containers.ts"
import { fetchedIn, formIn, isWhim, makeMetaEndpoints, publishedIn, timeOf } from "../../meta/standIn/endpoints.ts"
import { containerIdOf, keyOf, mediaIdOf } from "../../meta/standIn/ids.ts"
import { makeAuthorized, metaError, respond } from "../../meta/standIn/responses.ts"
import type { Kind } from "../dialect.ts"
import { threads as facts } from "../facts.ts"
import * as limits from "../limits.ts"

const authorized = makeAuthorized("threads")
const day = Duration.toMillis(Duration.days(1))

const encoder = new TextEncoder()

/** Different links, counted in the stand-in's own way. */
const countLinks = (text: string): number => new Set(text.match(/https?:\/\/[^\s<>"]+/g) ?? []).size

/** Threads trims a text, and shows its first tag as a topic, without the `#`. */
const shownText = (text: string): string => text.trim().replace(/#(?=[\p{L}\p{N}_])/u, "")

const permalinkOf = ({ id, username }: SandboxPost) => `${facts.site}/@${username}/post/${id}`

const shownKind = ({ media = [] }: SandboxPost): string => {
  const [first, ...more] = media
  if (first === undefined) return "TEXT_POST"
  return more.length > 0 ? "CAROUSEL_ALBUM" : first.type === "video" ? "VIDEO" : "IMAGE"
}

const shownPost = (post: SandboxPost) => ({
  id: mediaIdOf(post.id),
  permalink: permalinkOf(post),
  timestamp: timeOf(post),
  text: shownText(post.text),
  media_type: shownKind(post),
  is_reply: post.reply !== undefined,
  ...(post.reply === undefined ? {} : { replied_to: { id: post.reply.parent }, root_post: { id: post.reply.root } })
})

const isKind = (kind: string): kind is Kind => ["TEXT", "IMAGE", "VIDEO", "CAROUSEL"].includes(kind)

const me: RespondTo = ({ displayName, id, username }) => respond(200, { id, username, name: displayName })

export const threadsPosts = (memory: StandInMemory, containers: Containers = makeContainers()) => {
  const { byMediaId, fetched, ofChildren, postsOf, remove, timeline } = makeMetaEndpoints(memory, containers)

  const isOverLimit = (account: SandboxAccount, isReply: boolean, state: State, now: number): boolean => {
    const counted = postsOf(state, account).filter(
      ({ at, reply }) => now - at < day && (reply !== undefined) === isReply
    )
    return counted.length >= memory.limit(isReply ? limits.repliesPerDay : limits.postsPerDay)
  }

  const mediaIn = (
    account: SandboxAccount,
    kind: Kind,
    form: URLSearchParams,
    request: StandInRequest
  ): Result.Result<NewPost["media"], StandInResponse> => {
    if (kind === "TEXT") return Result.succeed([])
    return kind === "CAROUSEL"
      ? ofChildren(account, 20, form, request)
      : fetched(kind === "VIDEO", ["image/jpeg", "image/png"], form, request)
  }

  const create: RespondTo = (account, request, state) => {
    const { fresh, now, oddity } = request
    const form = formIn(request)
    const text = form.get("text") ?? ""
    const replyTo = form.get("reply_to_id") ?? undefined
    const kind = form.get("media_type") ?? ""
    if (!isKind(kind)) return metaError(400, "bad parameter", "media_type is required")
    const media = mediaIn(account, kind, form, request)
    if (Result.isFailure(media)) return media.failure
    if (media.success.length === 0 && text.trim() === "") return metaError(400, "bad parameter", "text is required")
    if (encoder.encode(text).byteLength > limits.text) {
      return metaError(400, "bad parameter", "Param text must be at most 500 characters long.")
    }
    if (countLinks(text) > limits.links) return metaError(400, "link limit", "Too many links")
    const topic = form.get("topic_tag")
    if (topic !== null && (!/^[^.&]+$/u.test(topic) || Array.from(topic).length > limits.topic)) {
      return metaError(400, "bad parameter", "Invalid topic_tag")
    }
    const parent = replyTo === undefined ? undefined : byMediaId(state, account, replyTo)
    if (replyTo !== undefined && (parent === undefined || now < (parent.repliesFrom ?? 0))) {
      return metaError(400, "not found", "The requested resource does not exist")
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
    if (isWhim(request)) return metaError(400, "not visible", "Unsupported get request")
    if (container !== undefined) {
      const status = statusOf(container, now)
      return respond(200, { id, status, ...(status === "ERROR" ? { error_message: container.error } : {}) })
    }
    const post = byMediaId(state, account, id)
    if (post === undefined) return metaError(400, "not visible", "Unsupported get request")
    if (query.get("fields")?.split(",").includes("status") === true) {
      return metaError(400, "bad parameter", "Tried accessing nonexisting field (status)")
    }
    return respond(200, { id, permalink: permalinkOf(post) })
  }

  const publish: RespondTo = (account, request, state) => {
    const { body, now, oddity } = request
    const container = containers.of(account.id, publishedIn(body))
    const isReady = container !== undefined && ["FINISHED", "PUBLISHED"].includes(statusOf(container, now))
    if (!isReady || isWhim(request) || oddity?.kind === "forgotten_files") {
      return metaError(400, "not found", "The requested resource does not exist")
    }
    if (isOverLimit(account, container.replyTo !== undefined, state, now)) {
      return metaError(400, "daily limit", "The maximum number of posts is reached")
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
    containers.get(publishedIn(body))?.replyTo === undefined ? "publish" : "reply"

  return [
    endpoint("upload", "POST", "/threads/v1.0/me/threads", authorized(create), fetchedIn),
    endpoint(publishCall, "POST", "/threads/v1.0/me/threads_publish", authorized(publish)),
    endpoint(
      "timeline",
      "GET",
      "/threads/v1.0/me/threads",
      authorized(timeline(({ reply }) => reply === undefined, shownPost))
    ),
    endpoint(
      "timeline",
      "GET",
      "/threads/v1.0/me/replies",
      authorized(timeline(({ reply }) => reply !== undefined, shownPost))
    ),
    endpoint("identity", "GET", "/threads/v1.0/me", authorized(me)),
    endpoint("upload", "GET", "/threads/v1.0/:id", authorized(read)),
    endpoint("delete", "DELETE", "/threads/v1.0/:id", authorized(remove))
  ]
}
