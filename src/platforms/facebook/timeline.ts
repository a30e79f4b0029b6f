import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { type PlatformError, Unavailable } from "../../domain/publishing/platformError.ts"
import { readResponse } from "../call.ts"
import { failAt } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { type FacebookApi, readFrom } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { refusedIdly } from "./problem.ts"
import { PostId } from "./syntax.ts"

const target = Schema.optionalKey(Schema.Struct({ id: Schema.optionalKey(Schema.String) }))
const Attachment = Schema.Struct({
  media_type: Schema.optionalKey(Schema.String),
  target,
  subattachments: Schema.optionalKey(Schema.Struct({ data: Schema.Array(Schema.Struct({ target })) }))
})

const decodePost = Schema.decodeUnknownOption(
  Schema.Struct({
    id: PostId,
    created_time: Schema.String,
    message: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(100_000))),
    attachments: Schema.optionalKey(Schema.Struct({ data: Schema.Array(Attachment) }))
  })
)

const readPage = readResponse(
  Schema.Struct({
    data: Schema.Array(Schema.Unknown),
    paging: Schema.optionalKey(
      Schema.Struct({
        next: Schema.optionalKey(Schema.String),
        cursors: Schema.optionalKey(Schema.Struct({ after: Schema.optionalKey(Schema.String) }))
      })
    )
  })
)

export interface TimelinePost {
  readonly id: string
  readonly createdAt: DateTime.Utc
  readonly text: string
  /** The ids of attached photos and videos. */
  readonly media: ReadonlyArray<string>
  readonly hasFiles: boolean
}

/** The text in the form in which texts are compared, because Facebook may change its white space. */
export const comparedText = (text: string): string => text.normalize("NFC").replaceAll(/\s+/g, " ").trim()

const withFiles = new Set(["photo", "album", "video"])

const toPost = (item: unknown): ReadonlyArray<TimelinePost> =>
  Option.toArray(
    Option.gen(function* () {
      const { attachments, created_time, id, message = "" } = yield* decodePost(item)
      const createdAt = yield* DateTime.make(created_time.replace(/\+0000$/, "Z"))
      const data = attachments?.data ?? []
      const targets = data.flatMap((each) => [
        each.target,
        ...(each.subattachments?.data ?? []).map((sub) => sub.target)
      ])
      return {
        id,
        createdAt,
        text: message,
        media: targets.flatMap((each) => each?.id ?? []),
        hasFiles: data.some(({ media_type = "" }) => withFiles.has(media_type))
      } satisfies TimelinePost
    })
  )

const fields = "id,created_time,message,attachments{media_type,target,subattachments{target}}"
const pageSize = 100
const maxPages = 5

/** Clocks differ. An earlier start only lists more posts. */
const margin = Duration.minutes(10)

/**
 * The Page's published posts since a time. Meta ranks the list and promises no order, so it is read to its end; it is
 * incomplete if it has more posts.
 */
export const listPosts = Effect.fn("Facebook.listPosts")(function* (
  { ask }: Pick<FacebookApi, "ask">,
  config: FacebookConfig,
  account: AccountAccess,
  since: DateTime.Utc
) {
  const from = DateTime.subtractDuration(since, margin)
  const posts: Array<TimelinePost> = []
  let after: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const request = readFrom(config, `/${account.accountId}/published_posts`, {
      fields,
      limit: String(pageSize),
      ...(after === undefined ? {} : { after })
    })
    const response = yield* ask(account, request)
    const read = response.status === 200 ? readPage(response) : Option.none()
    if (Option.isNone(read)) {
      return yield* failAt((now): PlatformError =>
        response.status === 200
          ? new Unavailable({ message: "Facebook did not list the Page's posts" })
          : refusedIdly(response, now)
      )
    }
    const { data, paging } = read.value
    posts.push(...data.flatMap(toPost).filter(({ createdAt }) => DateTime.isGreaterThanOrEqualTo(createdAt, from)))
    after = paging?.next === undefined ? undefined : paging.cursors?.after
    if (paging?.next === undefined) return { posts, complete: true }
    if (after === undefined) break
  }
  return { posts, complete: false }
})
