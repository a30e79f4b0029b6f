import { Duration, Result } from "effect"
import { type Endpoint, endpoint, type Respond, type RespondTo } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { postOf, type SandboxAccount, type SandboxPost } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { type Containers, makeContainers, statusOf } from "../../meta/standIn/containers.ts"
import { fetchedIn, formIn, isWhim, makeMetaEndpoints, publishedIn, timeOf } from "../../meta/standIn/endpoints.ts"
import { containerIdOf, keyOf, mediaIdOf } from "../../meta/standIn/ids.ts"
import { metaError, respond } from "../../meta/standIn/responses.ts"
import { partial, takeBytes, uploadDone, uploadError } from "../../meta/standIn/takeBytes.ts"
import { instagram as facts } from "../facts.ts"
import * as limits from "../limits.ts"

const day = Duration.toMillis(Duration.days(1))

/** Instagram may not find a container for this time after it was finished. */
const hiddenFor = 10_000

/** The kind of a post, which the sandbox's pages show as a note. Null for a post of the feed. */
const productOf = ({ replySettings }: Pick<SandboxPost, "replySettings">): string => replySettings ?? "FEED"

const isStory = (post: SandboxPost): boolean => productOf(post) === "STORY"

const isVideo = ({ media = [] }: SandboxPost): boolean => media[0]?.type === "video"

/** Instagram has other paths for reels and stories. The sandbox shows all posts under one. */
const permalinkOf = ({ id }: SandboxPost): string => `${facts.site}/p/${id}`

const shownPost = (post: SandboxPost) => ({
  id: mediaIdOf(post.id),
  permalink: permalinkOf(post),
  timestamp: timeOf(post),
  ...(post.text === "" ? {} : { caption: post.text.trim() }),
  media_type: (post.media ?? []).length > 1 ? "CAROUSEL_ALBUM" : isVideo(post) ? "VIDEO" : "IMAGE",
  media_product_type: productOf(post)
})

const products: Readonly<Record<string, string>> = { REELS: "REELS", STORIES: "STORY" }

/** The only version that the stand-in serves. */
export const standInVersion = "v26.0"

/** Refuses an account that names another one in a path. */
const own =
  (respondTo: RespondTo): RespondTo =>
  (account, request, state) =>
    request.params["account"] === account.id
      ? respondTo(account, request, state)
      : metaError(400, "not visible", "Unsupported request")

/** One of the two APIs with the same posts. Each takes the tokens of its own login alone. */
export interface InstagramApi {
  readonly root: `/${string}`
  readonly authorized: (respondTo: RespondTo) => Respond
  /** Answers an id that is neither a container nor a post. */
  readonly other: RespondTo
  /** The path that takes the bytes of videos, with the check of its tokens. Absent if this API fetches all files. */
  readonly bytes?: { readonly path: `/${string}`; readonly authorized: (respondTo: RespondTo) => Respond }
  readonly more: ReadonlyArray<Endpoint>
}

export const notVisible = metaError(400, "not visible", "Unsupported get request")

/** The endpoints of one API. */
export const instagramPosts = (
  memory: StandInMemory,
  { authorized, bytes: bytesApi, more, other, root }: InstagramApi,
  containers: Containers = makeContainers()
): ReadonlyArray<Endpoint> => {
  const { files } = memory
  const { byMediaId, fetched, ofChildren, postsOf, remove, timeline } = makeMetaEndpoints(memory, containers)

  const used = (state: State, account: SandboxAccount, now: number): number =>
    postsOf(state, account).filter(({ at }) => now - at < day).length

  const quota: RespondTo = (account, { now }, state) =>
    respond(200, {
      data: [
        {
          quota_usage: used(state, account, now),
          config: { quota_total: memory.limit(limits.postsPerDay), quota_duration: day / 1000 }
        }
      ]
    })

  const create: RespondTo = (account, request) => {
    const { fresh, now, oddity } = request
    const form = formIn(request)
    const type = form.get("media_type") ?? "IMAGE"
    const isItem = form.get("is_carousel_item") === "true"
    const awaitsBytes =
      bytesApi !== undefined && form.get("upload_type") === "resumable" && /^(?:REELS|STORIES)$/.test(type)
    const hasVideo = form.has("video_url") || awaitsBytes
    const isKnown = ["IMAGE", "CAROUSEL", "REELS", "STORIES"].includes(type) || (type === "VIDEO" && isItem)
    if (!isKnown || (type === "REELS" && !hasVideo) || (isItem && form.has("collaborators"))) {
      return metaError(400, "bad parameter", "Invalid parameter")
    }
    const caption = type === "STORIES" || isItem ? "" : (form.get("caption") ?? "")
    if (caption.length > limits.text) return metaError(400, "long caption", "The caption is too long")
    if ((caption.match(/#[\p{L}\p{N}_]/gu) ?? []).length > limits.hashtags) {
      return metaError(400, "many tags", "The caption has too many tags")
    }
    const media =
      type === "CAROUSEL"
        ? ofChildren(account, limits.files, form, request)
        : awaitsBytes
          ? Result.succeed([])
          : fetched(hasVideo, ["image/jpeg"], form, request)
    if (Result.isFailure(media)) return media.failure
    const id = containerIdOf(fresh.access)
    containers.make(
      id,
      {
        accountId: account.id,
        kind: hasVideo ? "VIDEO" : type,
        text: caption,
        replyTo: undefined,
        replyControl: products[type],
        media: media.success
      },
      now,
      oddity?.kind === "processing" ? oddity : {},
      awaitsBytes
    )
    const host = oddity?.kind === "nulls" ? "uploads.example" : (request.headers["host"] ?? "")
    return respond(200, awaitsBytes ? { id, uri: `http://${host}${bytesApi.path}/${id}` } : { id })
  }

  const upload: RespondTo = (account, request) => {
    const container = containers.of(account.id, request.params["id"] ?? "")
    if (container?.bytes === undefined) return uploadError("NotFound", "The upload does not exist")
    const taken = takeBytes(container.bytes, request)
    if (Result.isFailure(taken)) return taken.failure
    const { bytes, size } = taken.success
    container.bytes = bytes
    if (bytes.byteLength < size) return partial
    const id = `instagram-${container.id}`
    const type = sniff(bytes)
    if (type === undefined || !type.startsWith("video/")) return uploadError("ProcessingFailedError", "It is no video")
    files.put(id, { bytes, contentType: type })
    containers.fill(container, [{ id, type: "video", alt: "" }], request.now)
    return uploadDone
  }

  const tellOffset: RespondTo = (account, { params }) => {
    const { bytes } = containers.of(account.id, params["id"] ?? "") ?? {}
    return bytes === undefined
      ? uploadError("NotFound", "The upload does not exist")
      : respond(200, { offset: bytes.byteLength })
  }

  const read: RespondTo = (account, request, state) => {
    const { now, params } = request
    const id = params["id"] ?? ""
    if (isWhim(request)) return notVisible
    const container = containers.of(account.id, id)
    if (container !== undefined) {
      const status_code = statusOf(container, now)
      const why = status_code === "ERROR" ? `: Media upload has failed with error code ${container.error}` : ""
      return respond(200, { id, status_code, status: `${status_code}${why}` })
    }
    const post = byMediaId(state, account, id)
    return post === undefined ? other(account, request, state) : respond(200, { id, permalink: permalinkOf(post) })
  }

  const publish: RespondTo = (account, request, state) => {
    const { fresh, now, oddity } = request
    const container = containers.of(account.id, publishedIn(request.body))
    if (container === undefined || oddity?.kind === "forgotten_files") {
      return metaError(400, "not found", "The requested resource does not exist")
    }
    const isReady = ["FINISHED", "PUBLISHED"].includes(statusOf(container, now))
    if (!isReady) return metaError(400, "not ready", "Media ID is not available")
    if (isWhim(request) && now < container.readyAt + hiddenFor) {
      return metaError(400, /^[a-m]/i.test(fresh.access) ? "not ready" : "not found", "Media ID is not available")
    }
    if (used(state, account, now) >= memory.limit(limits.postsPerDay)) {
      return metaError(400, "daily limit", "The maximum number of posts is reached")
    }
    // Nobody knows what a second publication of a container does. This one posts again.
    container.published += 1
    const seed = `${container.id} ${container.published}`
    const product = container.replyControl ?? null
    const post = postOf(account, {
      id: product === "STORY" ? mediaIdOf(seed) : keyOf(seed),
      at: now,
      text: container.text,
      media: container.media,
      replySettings: product,
      // Tests compare these: two posts of one container are a failure of the service.
      record: { cid: container.id, value: { published: container.published } }
    })
    return { ...respond(200, { id: mediaIdOf(post.id) }), entries: [post] }
  }

  return [
    ...more,
    ...(bytesApi === undefined
      ? []
      : [
          endpoint("upload", "POST", `${bytesApi.path}/:id`, bytesApi.authorized(upload)),
          endpoint("upload", "GET", `${bytesApi.path}/:id`, bytesApi.authorized(tellOffset))
        ]),
    endpoint("upload", "POST", `${root}/:account/media`, authorized(own(create)), fetchedIn),
    endpoint("publish", "POST", `${root}/:account/media_publish`, authorized(own(publish))),
    endpoint(
      "timeline",
      "GET",
      `${root}/:account/media`,
      authorized(own(timeline((post) => !isStory(post), shownPost)))
    ),
    endpoint("timeline", "GET", `${root}/:account/stories`, authorized(own(timeline(isStory, shownPost)))),
    endpoint("upload", "GET", `${root}/:account/content_publishing_limit`, authorized(own(quota))),
    endpoint("upload", "GET", `${root}/:id`, authorized(read)),
    endpoint("delete", "DELETE", `${root}/:id`, authorized(remove))
  ]
}
