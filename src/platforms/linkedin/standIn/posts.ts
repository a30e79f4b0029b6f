import { Duration, Result, Schema } from "effect"
import {
  type Endpoint,
  endpoint,
  type RespondTo,
  type StandInRequest,
  type StandInResponse,
  strictBody
} from "../../../sandbox/endpoint.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { deletionOf, postOf, type SandboxAccount, type SandboxPost } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import * as limits from "../limits.ts"
import { isPageUrn } from "../syntax.ts"
import { pagesOf } from "./accounts.ts"
import { inputError, linkedinError, makeAuthorized, versioned } from "./responses.ts"
import { readCommentary } from "./shownText.ts"
import type { LinkedinUploads } from "./uploads.ts"

const Media = Schema.Struct({ id: Schema.String, altText: Schema.optionalKey(Schema.String) })

const Content = Schema.Union([
  Schema.Struct({ media: Media }),
  Schema.Struct({
    multiImage: Schema.Struct({
      images: Schema.Array(Media).check(Schema.isMinLength(2), Schema.isMaxLength(20))
    })
  }),
  Schema.Struct({
    article: Schema.Struct({
      source: Schema.String,
      title: Schema.NonEmptyString,
      description: Schema.optionalKey(Schema.String),
      thumbnail: Schema.optionalKey(Schema.String)
    })
  })
])

const readNewPost = strictBody(
  Schema.Struct({
    author: Schema.String,
    commentary: Schema.String,
    visibility: Schema.Literals(["PUBLIC", "CONNECTIONS", "LOGGED_IN"]),
    distribution: Schema.Struct({
      feedDistribution: Schema.Literal("MAIN_FEED"),
      targetEntities: Schema.Array(Schema.Json),
      thirdPartyDistributionChannels: Schema.Array(Schema.Json)
    }),
    lifecycleState: Schema.Literal("PUBLISHED"),
    isReshareDisabledByAuthor: Schema.Boolean,
    content: Schema.optionalKey(Content)
  })
)
type NewPost = Result.Result.Success<ReturnType<typeof readNewPost>>

const duplicateWindow = Duration.toMillis(Duration.minutes(10))
const maxListed = 100

/** As LinkedIn's ids do, it grows with time. */
const shareUrn = (now: number, number: number) => `urn:li:share:${(BigInt(now) << 22n) | BigInt(number % 4_194_304)}`

/** The text as LinkedIn keeps it, with its templates. */
const commentaryOf = ({ record, text }: SandboxPost) =>
  typeof record?.value === "string" ? record.value : text.replaceAll(/[\\|{}@[\]()<>#*_~]/g, "\\$&")

const mediaOf = ({ content }: NewPost) => {
  if (content === undefined) return []
  if ("media" in content) return [content.media]
  return "multiImage" in content ? content.multiImage.images : []
}

const contentOf = ({ media = [] }: SandboxPost) => {
  const named = media.map(({ alt, id }) => ({ id, ...(alt === "" ? {} : { altText: alt }) }))
  const [first, ...more] = named
  if (first === undefined) return {}
  return { content: more.length === 0 ? { media: first } : { multiImage: { images: named } } }
}

/** A member's posts can't be read, not even by the application that made them. */
const forPages =
  (respond: RespondTo): RespondTo =>
  (account, request, state) =>
    isPageUrn(account.id)
      ? respond(account, request, state)
      : linkedinError(403, "ACCESS_DENIED", `Not enough permissions to access: partnerApiPosts.GET`)

const shownAt = ({ oddity }: StandInRequest, post: SandboxPost, now: number) =>
  now >= (post.shownFrom ?? 0) && now >= post.at + (oddity?.kind === "lag" ? oddity.ms : 0)

export const linkedinPosts = (
  memory: StandInMemory,
  uploads: LinkedinUploads,
  mayPostAs: (account: SandboxAccount, author: string) => boolean
): ReadonlyArray<Endpoint> => {
  const { platform } = memory
  const authorized = makeAuthorized(memory)
  /** The latest post with a text, also after it was deleted. */
  const latest = new Map<string, string>()

  const authorOf = (account: SandboxAccount, author: string, state: State): SandboxAccount =>
    state.account(platform, author) ?? pagesOf(account).find(({ id }) => id === author) ?? account

  const accept = (author: SandboxAccount, post: NewPost, request: StandInRequest, state: State): StandInResponse => {
    const { oddity } = request
    const now = request.now - (oddity?.kind === "clock" ? oddity.ms : 0)
    const { kept, text } = readCommentary(post.commentary)
    if (text.length > limits.text) {
      return inputError("FIELD_ARRAY_SIZE_TOO_HIGH", "ShareCommentary text is too long", {
        input: { inputPath: { fieldPath: "commentary" } },
        maxLength: limits.text
      })
    }
    const named = mediaOf(post)
    if (text.trim() === "" && named.length === 0) return inputError("MISSING_FIELD", "commentary is empty")
    const lastPostedAt = state.lastPostedAt(platform, author.id, text)
    if (named.length === 0 && lastPostedAt !== undefined && now - lastPostedAt < duplicateWindow) {
      const urn = latest.get(`${author.id} ${text}`) ?? "urn:li:share:1"
      return linkedinError(422, "DUPLICATE_POST", `Content is a duplicate of ${urn}`, [
        { code: "DUPLICATE_POST", description: `Content is a duplicate of ${urn}` }
      ])
    }
    if (oddity?.kind === "forgotten_files") for (const { id } of named) uploads.forget(id)
    const used = uploads.use(author.id, named, now)
    if (typeof used === "string") return inputError(used, `A file of the post can't be used: ${used}`)
    const card = post.content !== undefined && "article" in post.content ? post.content.article : undefined
    const thumbs = card?.thumbnail === undefined ? [] : [{ id: card.thumbnail }]
    const thumb = uploads.use(author.id, thumbs, now)
    if (typeof thumb === "string") return inputError(thumb, "The thumbnail can't be used")
    const id = shareUrn(now, state.accepted(platform))
    latest.set(`${author.id} ${text}`, id)
    const shown = postOf(author, {
      id,
      at: now,
      text,
      media: used.media,
      record: { cid: "", value: kept },
      ...(used.shownFrom > now ? { shownFrom: used.shownFrom } : {}),
      ...(card === undefined
        ? {}
        : {
            card: {
              url: card.source,
              title: card.title,
              description: card.description ?? "",
              thumb: card.thumbnail ?? null
            }
          })
    })
    // A post can vanish after LinkedIn has accepted it.
    const isLost = oddity?.kind === "processing" && oddity.error !== undefined
    return {
      status: 201,
      headers: { "x-li-uuid": "AAYJ", ...(oddity?.kind === "nulls" ? {} : { "x-restli-id": id }) },
      entries: isLost ? [] : [shown]
    }
  }

  const create: RespondTo = (account, request, state) => {
    if (request.headers["content-type"]?.startsWith("application/json") !== true) return linkedinError(400)
    const read = readNewPost(request.body)
    if (Result.isFailure(read)) {
      const [issue] = read.failure
      return inputError("INVALID_VALUE_FOR_FIELD", `/${issue?.path.join("/") ?? ""} :: ${issue?.message ?? "invalid"}`)
    }
    const { author } = read.success
    if (!mayPostAs(account, author)) {
      return linkedinError(403, "ACCESS_DENIED", "The member has no role on this organization")
    }
    return accept(authorOf(account, author, state), read.success, request, state)
  }

  const list: RespondTo = (account, request, state) => {
    const { now, query } = request
    const author = query.get("author") ?? ""
    // LinkedIn's own client writes the method in lower case, its documentation in upper case.
    const isFinder = request.headers["x-restli-method"]?.toUpperCase() === "FINDER"
    if (query.get("q") !== "author" || !isFinder) return linkedinError(400)
    if (!mayPostAs(account, author)) return linkedinError(403)
    const count = Math.min(maxListed, Number(query.get("count") ?? 10))
    const start = Number(query.get("start") ?? 0)
    const shown = state
      .posts()
      .filter((post) => post.platform === platform && post.accountId === author && shownAt(request, post, now))
      .toReversed()
      .slice(start, start + count)
    const elements = shown.map((post) => ({
      id: post.id,
      author,
      commentary: commentaryOf(post),
      visibility: "PUBLIC",
      lifecycleState: "PUBLISHED",
      createdAt: post.at,
      publishedAt: post.at,
      ...contentOf(post)
    }))
    return { status: 200, body: { paging: { start, count, links: [] }, elements } }
  }

  /** Deleting twice is no error. */
  const remove: RespondTo = (account, { params: { urn: id = "" } }, state) => {
    const post = state.posts().find((each) => each.platform === platform && each.id === id)
    if (post !== undefined && !mayPostAs(account, post.accountId)) return linkedinError(403)
    return { status: 204, entries: post === undefined ? [] : [deletionOf(post)] }
  }

  return [
    endpoint("publish", "POST", "/rest/posts", versioned(authorized(create))),
    endpoint("timeline", "GET", "/rest/posts", versioned(authorized(forPages(list)))),
    endpoint("delete", "DELETE", "/rest/posts/:urn", versioned(authorized(remove)))
  ]
}
