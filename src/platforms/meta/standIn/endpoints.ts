import { Result } from "effect"
import type { RespondTo, StandInRequest, StandInResponse } from "../../../sandbox/endpoint.ts"
import { sniff } from "../../../sandbox/media/files.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, type SandboxAccount, type SandboxPost } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { type Containers, type NewPost, statusOf } from "./containers.ts"
import { containerIdOf, mediaIdOf } from "./ids.ts"
import { metaError, respond } from "./responses.ts"

/** Timelines show a post late. */
const usualLag = 3_000

/** True for about one of six requests, if the sandbox's whims are switched on. */
export const isWhim = ({ fresh, oddity }: Pick<StandInRequest, "fresh" | "oddity">): boolean =>
  oddity?.kind === "whims" && (fresh.family.codePointAt(0) ?? 0) % 6 === 0

export const timeOf = ({ at }: SandboxPost): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, "+0000")

/** The members of a form, if it is one: Meta ignores members of JSON bodies. */
export const formIn = ({ body, headers }: Pick<StandInRequest, "body" | "headers">): URLSearchParams =>
  new URLSearchParams(headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true ? body : "")

/** The addresses from which a container's files are fetched. */
export const fetchedIn = (body: string): ReadonlyArray<string> => {
  const form = new URLSearchParams(body)
  return [form.get("image_url"), form.get("video_url")].filter((url) => url !== null)
}

/** The container that a publication names. */
export const publishedIn = (body: string): string => new URLSearchParams(body).get("creation_id") ?? ""

/** The parts of endpoints that Meta's stand-ins share, for the posts of one platform. */
export const makeMetaEndpoints = ({ files, platform }: StandInMemory, containers: Containers) => {
  const postsOf = (state: State, { id }: Pick<SandboxAccount, "id">) =>
    state.posts().filter((post) => post.platform === platform && post.accountId === id)

  const byMediaId = (state: State, account: Pick<SandboxAccount, "id">, mediaId: string) =>
    postsOf(state, account).find(({ id }) => mediaIdOf(id) === mediaId)

  const timeline =
    (isListed: (post: SandboxPost) => boolean, show: (post: SandboxPost) => object): RespondTo =>
    (account, { now, oddity, query }, state) => {
      const lag = oddity?.kind === "lag" ? oddity.ms : usualLag
      const since = Number(query.get("since") ?? "0") * 1000
      const limit = Math.min(Number(query.get("limit") ?? "25"), 100)
      const begin = Number(query.get("after") ?? "0")
      const all = postsOf(state, account)
        .filter((post) => isListed(post) && post.at >= since)
        .filter(({ at, shownFrom = 0 }) => now >= Math.max(at + lag, shownFrom))
        .toReversed()
      const page = all.slice(begin, begin + limit)
      const end = begin + page.length
      return respond(200, {
        data: page.map(show),
        paging: { cursors: { before: String(begin), ...(end < all.length ? { after: String(end) } : {}) } }
      })
    }

  const remove: RespondTo = (account, { params }, state) => {
    const post = byMediaId(state, account, params["id"] ?? "")
    return post === undefined
      ? metaError(400, "not visible", "Unsupported delete request")
      : { ...respond(200, { success: true }), entries: [deletionOf(post)] }
  }

  /** The file of a new container. Its bytes are kept for the sandbox's pages. */
  const fetched = (
    isVideo: boolean,
    imageTypes: ReadonlyArray<string>,
    form: URLSearchParams,
    request: StandInRequest
  ): Result.Result<NewPost["media"], StandInResponse> => {
    const file = request.fetched?.get(form.get(isVideo ? "video_url" : "image_url") ?? "")
    // Without a network, as in the simulation, every file is there.
    if (request.fetched !== undefined && (file === undefined || isWhim(request))) {
      return Result.fail(metaError(400, "not fetched", "The media could not be fetched from this URI"))
    }
    const type = file === undefined ? undefined : sniff(file.bytes)
    if (type !== undefined && !(isVideo ? ["video/mp4", "video/quicktime"] : imageTypes).includes(type)) {
      return Result.fail(metaError(400, "bad file", "The media is not of a supported type"))
    }
    const id = `${platform}-${containerIdOf(request.fresh.refresh)}`
    if (file !== undefined) files.put(id, { ...file, contentType: type ?? file.contentType })
    return Result.succeed([{ id, type: isVideo ? "video" : "image", alt: form.get("alt_text") ?? "" }])
  }

  /** The files of a carousel's containers, which must be finished. */
  const ofChildren = (
    account: SandboxAccount,
    most: number,
    form: URLSearchParams,
    { now }: StandInRequest
  ): Result.Result<NewPost["media"], StandInResponse> => {
    const children = (form.get("children") ?? "").split(",").map((id) => containers.of(account.id, id))
    const isComplete = children.length >= 2 && children.length <= most && !children.includes(undefined)
    if (!isComplete) return Result.fail(metaError(400, "bad parameter", "Invalid children"))
    const isReady = children.every((child) => child && statusOf(child, now) === "FINISHED")
    return isReady
      ? Result.succeed(children.flatMap((child) => child?.media ?? []))
      : Result.fail(metaError(400, "children not ready", "Children are not ready"))
  }

  return { postsOf, byMediaId, timeline, remove, fetched, ofChildren }
}
