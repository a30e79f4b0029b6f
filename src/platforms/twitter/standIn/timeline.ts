import { DateTime, Option, Result } from "effect"
import type { Issue } from "../../../domain/errors.ts"
import type { SandboxPost } from "../../../sandbox/state/entry.ts"
import type { StandInRequest } from "../../../sandbox/endpoint.ts"
import { conversationOf } from "./replies.ts"
import { includedMedia, mediaKeys, tweet } from "./tweet.ts"

/** X renames `tweet.fields` to `post.fields`, and accepts both. */
const fieldNames = ["post.fields", "tweet.fields"]
const params = new Set([
  ...fieldNames,
  "start_time",
  "end_time",
  "max_results",
  "exclude",
  "pagination_token",
  "expansions",
  "media.fields"
])
const timeFormat = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

interface TimelineQuery {
  /** Milliseconds since 1970. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly max: number
  /** The last post of the page before; null for the first page. */
  readonly after: string | null
  readonly showsKeys: boolean
  readonly showsConversations: boolean
  readonly includesMedia: boolean
  readonly mediaFields: ReadonlyArray<string>
}

const listed = (query: URLSearchParams, name: string): ReadonlyArray<string> => (query.get(name) ?? "").split(",")

export const readTimelineQuery = ({
  now,
  oddity,
  query
}: StandInRequest): Result.Result<TimelineQuery, ReadonlyArray<Issue>> => {
  const known = (name: string) =>
    params.has(name) && (oddity?.kind !== "fields" || !fieldNames.includes(name) || name === oddity.name)
  const unknown = [...query.keys()].filter((name) => !known(name))
  const start = query.get("start_time")
  const end = query.get("end_time")
  const max = Number(query.get("max_results") ?? "10")
  const issues = [
    ...unknown.map((name) => ({ path: [name], message: "is not a parameter of this request" })),
    ...[["start_time", start] as const, ["end_time", end] as const].flatMap(([name, time]) =>
      time === null || timeFormat.test(time) ? [] : [{ path: [name], message: `[${time}] is not a valid time` }]
    ),
    ...(end === null || Date.parse(end) <= now - 10_000
      ? []
      : [{ path: ["end_time"], message: `[${end}] must be at least 10 seconds ago` }]),
    ...(max >= 5 && max <= 100 ? [] : [{ path: ["max_results"], message: `[${max}] is not between 5 and 100` }])
  ]
  if (issues.length > 0) return Result.fail(issues)
  const hasField = (field: string) => fieldNames.some((name) => listed(query, name).includes(field))
  const from = Option.map(DateTime.make(start ?? ""), DateTime.toEpochMillis)
  const to = Option.map(DateTime.make(end ?? ""), DateTime.toEpochMillis)
  return Result.succeed({
    from: Option.getOrElse(from, () => 0),
    to: Option.getOrElse(to, () => Number.POSITIVE_INFINITY),
    max,
    after: query.get("pagination_token"),
    showsKeys: hasField("attachments") || listed(query, "expansions").includes("attachments.media_keys"),
    showsConversations: hasField("conversation_id"),
    includesMedia: listed(query, "expansions").includes("attachments.media_keys"),
    mediaFields: listed(query, "media.fields")
  })
}

/** Members that X may leave out become null. */
const withNulls = (shown: ReturnType<typeof tweet>) => ({
  ...shown,
  created_at: null,
  conversation_id: null,
  note_post: null,
  note_tweet: null,
  entities: shown.entities === undefined ? null : { ...shown.entities, annotations: null }
})

/** Newest first. */
export const timelinePage = (
  posts: ReadonlyArray<SandboxPost>,
  { after, from, includesMedia, max, mediaFields, showsConversations, showsKeys, to }: TimelineQuery,
  { now, oddity, params: { id } }: StandInRequest
) => {
  const youngest = oddity?.kind === "lag" ? now - oddity.ms : Number.POSITIVE_INFINITY
  const all = posts
    .filter(
      ({ accountId, at, platform, shownFrom = 0 }) =>
        platform === "twitter" && accountId === id && at >= from && at < to && at <= youngest && shownFrom <= now
    )
    .toReversed()
  const rest = after === null ? all : all.slice(all.findIndex((post) => post.id === after) + 1)
  const page = rest.slice(0, max)
  const last = rest.length > max ? page.at(-1) : undefined
  const meta = { result_count: page.length, ...(last === undefined ? {} : { next_token: last.id }) }
  if (oddity?.kind === "nulls") {
    const unreadable = { id: "1", text: null }
    return { data: [unreadable, ...page.map((post) => withNulls(tweet(post)))], meta: { next_token: null, ...meta } }
  }
  if (page.length === 0) return { meta }
  const data = page.map((post) => {
    const keys = showsKeys ? mediaKeys(post) : []
    return {
      ...tweet(post),
      ...(showsConversations ? { conversation_id: conversationOf(post) } : {}),
      ...(keys.length === 0 ? {} : { attachments: { media_keys: keys } })
    }
  })
  const media = includesMedia ? includedMedia(page, mediaFields) : []
  return { data, ...(media.length === 0 ? {} : { includes: { media } }), meta }
}
