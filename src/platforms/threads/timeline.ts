import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import { readResponse } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import { threads } from "./facts.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { readFrom, type ThreadsApi } from "./api.ts"
import { refusedIdly } from "./problem.ts"
import { ThreadsId } from "./syntax.ts"

/** Threads leaves a member out, or returns null. */
const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const ShownPost = Schema.Struct({
  id: ThreadsId,
  permalink: Schema.String.check(Schema.isMaxLength(2_048)),
  timestamp: Schema.String,
  text: nullable(Schema.String.check(Schema.isMaxLength(50_000))),
  media_type: nullable(Schema.String),
  replied_to: nullable(Schema.Struct({ id: ThreadsId }))
})
const decodePost = Schema.decodeUnknownOption(ShownPost)

const readPage = readResponse(
  Schema.Struct({
    data: Schema.Array(Schema.Unknown),
    paging: nullable(Schema.Struct({ cursors: nullable(Schema.Struct({ after: nullable(Schema.String) })) }))
  })
)

const readPermalink = readResponse(Schema.Struct({ id: ThreadsId, permalink: Schema.String }))

export type Kind = "TEXT" | "IMAGE" | "VIDEO" | "CAROUSEL"

/** Threads' names of the kinds on timelines. A kind that is not listed matches every kind. */
const shownKinds: Readonly<Record<string, Kind>> = {
  TEXT_POST: "TEXT",
  IMAGE: "IMAGE",
  VIDEO: "VIDEO",
  CAROUSEL_ALBUM: "CAROUSEL"
}

export interface TimelinePost {
  /** Threads' id, which replies name. */
  readonly mediaId: string
  /** The key in the post's address. */
  readonly key: string
  readonly url: string
  readonly createdAt: DateTime.Utc
  readonly text: string
  readonly kind: Kind | undefined
  readonly repliedTo: string | undefined
}

/** The key and the address of a post, from its permalink. */
const placeOf = (permalink: string, { webUrl }: Pick<ThreadsConfig, "webUrl">) => {
  const url = URL.parse(permalink)
  if (url === null) return undefined
  const isOwn = url.protocol === "https:" && threads.hosts.some((host) => host === url.host)
  const written = `${url.origin}${url.pathname}`
  const path = isOwn ? url.pathname : written.startsWith(`${webUrl}/`) ? written.slice(webUrl.length) : ""
  const key = threads.postPath.exec(path)?.groups?.["key"]
  return key === undefined ? undefined : { key, url: `${webUrl}${path}` }
}

/** The place of the post with this id, from an answer that names its permalink. */
export const placeIn = (mediaId: string, response: Parameters<typeof readPermalink>[0], config: ThreadsConfig) =>
  response.status !== 200
    ? Option.none()
    : readPermalink(response).pipe(
        Option.filter(({ id }) => id === mediaId),
        Option.flatMap(({ permalink }) => Option.fromUndefinedOr(placeOf(permalink, config)))
      )

export const permalinkRequest = (config: ThreadsConfig, mediaId: string) =>
  readFrom(config, `/${mediaId}`, { fields: "id,permalink" })

/**
 * The text in the form in which texts are compared: Threads trims a text, and shows a tag that became the topic without
 * its `#`.
 */
export const comparedText = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll(/[\s#＃]+/g, " ")
    .trim()

const readPost = (config: ThreadsConfig) => (item: unknown) =>
  Option.toArray(
    Option.gen(function* () {
      const post = yield* decodePost(item)
      const createdAt = yield* DateTime.make(post.timestamp)
      const place = yield* Option.fromUndefinedOr(placeOf(post.permalink, config))
      return {
        ...place,
        mediaId: post.id,
        createdAt,
        text: post.text ?? "",
        kind: shownKinds[post.media_type ?? ""],
        repliedTo: post.replied_to?.id
      } satisfies TimelinePost
    })
  )

const fields = "id,permalink,timestamp,text,media_type,replied_to"
const pageSize = 100
const maxPages = 3

/** Clocks differ. An earlier start only lists more posts. */
const margin = Duration.minutes(10)

const unixSeconds = (time: DateTime.Utc) => String(Math.floor(DateTime.toEpochMillis(time) / 1000))

export interface Listed {
  readonly posts: ReadonlyArray<TimelinePost>
  /** True if the list reaches back to `since`. */
  readonly complete: boolean
}

/** The account's posts since a time, newest first. Replies have a list of their own. */
export const listPosts = Effect.fn("Threads.listPosts")(function* (
  { ask }: Pick<ThreadsApi, "ask">,
  config: ThreadsConfig,
  account: AccountAccess,
  { replies, since }: { readonly replies: boolean; readonly since: DateTime.Utc }
) {
  const from = DateTime.subtractDuration(since, margin)
  const posts: Array<TimelinePost> = []
  let after: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const request = readFrom(config, replies ? "/me/replies" : "/me/threads", {
      fields,
      since: unixSeconds(from),
      limit: String(pageSize),
      ...(after === undefined ? {} : { after })
    })
    const response = yield* ask(account, request)
    const read = response.status === 200 ? readPage(response) : Option.none()
    if (Option.isNone(read)) {
      return yield* response.status === 200
        ? new Unavailable({ message: "Threads did not list the account's posts" })
        : refusedIdly(response, yield* DateTime.now)
    }
    posts.push(...read.value.data.flatMap(readPost(config)))
    after = read.value.paging?.cursors?.after ?? undefined
    if (after === undefined || read.value.data.length === 0) return { posts, complete: true } satisfies Listed
  }
  return { posts, complete: false } satisfies Listed
})
