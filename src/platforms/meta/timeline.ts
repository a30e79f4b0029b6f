import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import { type PlatformResponse, readResponse } from "../call.ts"
import type { LiveFacts } from "../Platform.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { type MetaApi, readFrom } from "./api.ts"
import type { Dialect } from "./dialect.ts"
import { makeRefusals } from "./refusals.ts"
import { MetaId } from "./syntax.ts"

/** Meta leaves a member out, or returns null. */
export const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The members of a listed post that all platforms have. */
export const listedFields = {
  id: MetaId,
  permalink: Schema.String.check(Schema.isMaxLength(2_048)),
  timestamp: Schema.String,
  media_type: nullable(Schema.String)
}

/** A caption or text of a listed post. */
export const listedText = nullable(Schema.String.check(Schema.isMaxLength(50_000)))

const readPage = readResponse(
  Schema.Struct({
    data: Schema.Array(Schema.Unknown),
    paging: nullable(Schema.Struct({ cursors: nullable(Schema.Struct({ after: nullable(Schema.String) })) }))
  })
)

const readPermalink = readResponse(Schema.Struct({ id: MetaId, permalink: Schema.String }))

interface ShownPost {
  readonly text: string
  /** Undefined if the list has a name that is not known. Such a post may be of each kind. */
  readonly kind: string | undefined
  readonly repliedTo: string | undefined
}

/** A post in a platform's list. */
export interface ListedPost extends ShownPost {
  readonly id: string
  readonly permalink: string
  readonly timestamp: string
}

export interface TimelinePost extends ShownPost {
  /** The platform's id, which replies name. */
  readonly mediaId: string
  /** The key in the post's address. */
  readonly key: string
  readonly url: string
  readonly createdAt: DateTime.Utc
}

export const makePlaceOf =
  ({ hosts, postPath }: Pick<LiveFacts, "hosts" | "postPath">, { webUrl }: { readonly webUrl: string }) =>
  (permalink: string) => {
    const url = URL.parse(permalink)
    if (url === null) return undefined
    const isOwn = url.protocol === "https:" && hosts.includes(url.host)
    const written = `${url.origin}${url.pathname}`
    const path = isOwn ? url.pathname : written.startsWith(`${webUrl}/`) ? written.slice(webUrl.length) : ""
    const key = postPath.exec(path)?.groups?.["key"]
    return key === undefined ? undefined : { key, url: `${webUrl}${path}` }
  }

/** The place of the post with this id, from an answer that names its permalink. */
export const placeIn = ({ placeOf }: Dialect, mediaId: string, response: PlatformResponse) =>
  response.status !== 200
    ? Option.none()
    : readPermalink(response).pipe(
        Option.filter(({ id }) => id === mediaId),
        Option.flatMap(({ permalink }) => Option.fromUndefinedOr(placeOf(permalink)))
      )

export const permalinkRequest = (mediaId: string) => readFrom(`/${mediaId}`, { fields: "id,permalink" })

/**
 * The text in the form in which texts are compared: Meta trims a text, and Threads shows a tag that became the topic
 * without its `#`.
 */
export const comparedText = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll(/[\s#＃]+/g, " ")
    .trim()

const pageSize = 100
const maxPages = 3

/** Clocks differ. An earlier start only lists more posts. */
const margin = Duration.minutes(10)

const unixSeconds = (time: DateTime.Utc) => String(Math.floor(DateTime.toEpochMillis(time) / 1000))

interface Listed {
  readonly posts: ReadonlyArray<TimelinePost>
  /** True if the list reaches back to `since`. */
  readonly complete: boolean
}

const toTimeline =
  ({ placeOf, readListed }: Dialect) =>
  (item: unknown): ReadonlyArray<TimelinePost> =>
    Option.toArray(
      Option.gen(function* () {
        const { id, permalink, timestamp, ...shown } = yield* readListed(item)
        const createdAt = yield* DateTime.make(timestamp)
        const place = yield* Option.fromUndefinedOr(placeOf(permalink))
        return { ...place, ...shown, mediaId: id, createdAt }
      })
    )

/** Lists the account's posts since a time, newest first. */
export const makeTimeline = (dialect: Dialect, { ask }: Pick<MetaApi, "ask">) => {
  const { listFields: fields, name } = dialect
  const { refusedIdly } = makeRefusals(name)
  return Effect.fn(`${name}.listPosts`)(function* (account: AccountAccess, path: string, since: DateTime.Utc) {
    const from = DateTime.subtractDuration(since, margin)
    const posts: Array<TimelinePost> = []
    let after: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const request = readFrom(path, {
        fields,
        since: unixSeconds(from),
        limit: String(pageSize),
        ...(after === undefined ? {} : { after })
      })
      const response = yield* ask(account, request)
      const read = response.status === 200 ? readPage(response) : Option.none()
      if (Option.isNone(read)) {
        return yield* response.status === 200
          ? new Unavailable({ message: `${name} did not list the account's posts` })
          : refusedIdly(response, yield* DateTime.now)
      }
      const listed = read.value.data.flatMap(toTimeline(dialect))
      // A list that takes no `since` goes on with older posts.
      posts.push(...listed.filter(({ createdAt }) => DateTime.isGreaterThanOrEqualTo(createdAt, from)))
      const isPast = listed.some(({ createdAt }) => DateTime.isLessThan(createdAt, from))
      after = read.value.paging?.cursors?.after ?? undefined
      if (after === undefined || isPast || read.value.data.length === 0) {
        return { posts, complete: true } satisfies Listed
      }
    }
    return { posts, complete: false } satisfies Listed
  })
}
