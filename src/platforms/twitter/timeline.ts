import { DateTime, Option, Schema } from "effect"
import twitterText from "twitter-text"
import { comparedText, visibleText } from "./rules/repeatedTexts.ts"
import { PageToken, XId } from "./syntax.ts"

/** X returns null, or leaves the member out. */
const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const ShownUrl = Schema.String.check(Schema.isMaxLength(8192))

const Entities = Schema.Struct({
  urls: nullable(Schema.Array(Schema.Struct({ url: nullable(ShownUrl), expanded_url: nullable(ShownUrl) })))
})

/** Far longer than any post, in UTF-16 code units. */
const ShownText = Schema.String.check(Schema.isMaxLength(50_000))

/** The whole text of a post that is too long for `text`. */
const Note = Schema.Struct({ text: ShownText, entities: nullable(Entities) })

/** `note_tweet` is the earlier name of `note_post`. */
const ShownPost = Schema.Struct({
  id: XId,
  text: ShownText,
  created_at: nullable(Schema.String),
  conversation_id: nullable(Schema.String),
  entities: nullable(Entities),
  attachments: nullable(Schema.Struct({ media_keys: nullable(Schema.Array(Schema.String)) })),
  note_post: nullable(Note),
  note_tweet: nullable(Note)
})
type ShownPost = typeof ShownPost.Type
const decodePost = Schema.decodeUnknownOption(ShownPost)

/** Newest first. `data` is missing if empty. */
export const TimelinePage = Schema.Struct({
  data: nullable(Schema.Array(Schema.Unknown)),
  meta: nullable(Schema.Struct({ next_token: nullable(PageToken), result_count: nullable(Schema.Finite) })),
  errors: nullable(Schema.Array(Schema.Unknown))
})
export type TimelinePage = typeof TimelinePage.Type

export interface TimelinePost {
  readonly id: string
  readonly createdAt: DateTime.Utc
  /** The thread's first post, if requested; null if X does not name it. */
  readonly conversationId: string | null
  /** In canonical form. */
  readonly text: string
  /** Empty unless requested. */
  readonly mediaKeys: ReadonlyArray<string>
  /** The text without the link that X appends to the post's own files. */
  readonly ownText: string
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** X adds a missing scheme, and may normalize the rest. */
const canonicalUrl = (address: string): string => {
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `http://${address}`)
  return url === null ? address : url.host + url.pathname.replace(/\/$/, "") + url.search + url.hash
}

/** Replaces X's own short links in a text, because X may show their destinations instead. */
const shortLink = "\0"

export const canonicalText = (text: string): string => {
  const visible = visibleText(text)
  let result = ""
  let read = 0
  for (const {
    url,
    indices: [start, end]
  } of twitterText.extractUrlsWithIndices(visible)) {
    const address = canonicalUrl(url)
    result += visible.slice(read, start) + (address.startsWith("t.co/") ? shortLink : address)
    read = end
  }
  return comparedText(result + visible.slice(read))
}

/** The link that X appends to the text of a post with files. */
const mediaLink = /^https?:\/\/(?:[\w-]+\.)*[\w.-]+\/(?:.*\/)?status\/\d+\/(?:photo|video)\/\d+$/

const canonicalShown = (post: ShownPost, dropsMediaLinks = false): string => {
  const shown = post.note_post ?? post.note_tweet ?? post
  const urls = new Map(
    (shown.entities?.urls ?? []).flatMap(({ expanded_url, url }) =>
      url === null || url === undefined ? [] : [[url, canonicalUrl(expanded_url ?? url)] as const]
    )
  )
  const links = new Set(
    (shown.entities?.urls ?? []).flatMap(({ expanded_url, url }) => (mediaLink.test(expanded_url ?? "") ? [url] : []))
  )
  const text = comparedText(
    unescapeHtml(shown.text).replaceAll(/https:\/\/t\.co\/\w+/g, (link) =>
      dropsMediaLinks && links.has(link) ? "" : (urls.get(link) ?? link)
    )
  )
  return text.replaceAll(shortLink, "").toWellFormed()
}

const idEpoch = 1_288_834_974_657n

/** The upper bits are a time in milliseconds. */
export const timeOfId = (id: string): Option.Option<DateTime.Utc> =>
  /^\d{1,20}$/.test(id) ? DateTime.make(Number((BigInt(id) >> 22n) + idEpoch)) : Option.none()

/** Newest first. Unreadable posts are left out, as they say nothing about the others. */
export const readPosts = (page: TimelinePage): ReadonlyArray<TimelinePost> =>
  (page.data ?? []).flatMap((item) =>
    Option.toArray(
      Option.gen(function* () {
        const post = yield* decodePost(item)
        const createdAt = yield* Option.orElse(DateTime.make(post.created_at ?? ""), () => timeOfId(post.id))
        const mediaKeys = post.attachments?.media_keys ?? []
        const text = canonicalShown(post)
        return {
          id: post.id,
          createdAt,
          conversationId: post.conversation_id ?? null,
          text,
          mediaKeys,
          ownText: mediaKeys.length === 0 ? text : canonicalShown(post, true)
        }
      })
    )
  )

export interface MediaIdentity {
  readonly id: string
  readonly key: string | null
}

/** Returns only posts with files. Their texts lack the links to these files. */
export const withoutMediaLinks = (posts: ReadonlyArray<TimelinePost>): ReadonlyArray<TimelinePost> =>
  posts.filter(({ mediaKeys }) => mediaKeys.length > 0).map((post) => ({ ...post, text: post.ownText }))

/**
 * The post with these files, created at `from` or later. Each file was uploaded for one target. A media key ends in its
 * file's id.
 */
export const postWithMedia = (
  posts: ReadonlyArray<TimelinePost>,
  media: ReadonlyArray<MediaIdentity>,
  from: DateTime.Utc
): string | undefined =>
  posts.findLast(
    ({ createdAt, mediaKeys }) =>
      DateTime.isGreaterThanOrEqualTo(createdAt, from) &&
      mediaKeys.some((shown) => media.some(({ id, key }) => shown === key || shown.endsWith(`_${id}`)))
  )?.id

/** Includes posts whose thread X does not name. */
export const postsOfThread = (posts: ReadonlyArray<TimelinePost>, rootId: string): ReadonlyArray<TimelinePost> =>
  posts.filter(({ conversationId }) => conversationId === null || conversationId === rootId)

/**
 * Ids of posts created at `from` or later, oldest first; `posts` are newest first. With `username`, a mention of that
 * account may come before the text: X may show one, undocumented, if an account replies to itself.
 */
export const postsWithText = (
  posts: ReadonlyArray<TimelinePost>,
  text: string,
  from: DateTime.Utc,
  username?: string
): ReadonlyArray<string> => {
  const mention = username === undefined ? "" : `(?i:@${RegExp.escape(username)}(?: |$))?`
  const words = canonicalText(text)
    .split(shortLink)
    .map((part) => RegExp.escape(part))
    .join("\\S+")
  const wanted = new RegExp(`^${mention}${words}$`)
  return posts
    .filter((post) => DateTime.isGreaterThanOrEqualTo(post.createdAt, from) && wanted.test(post.text))
    .map(({ id }) => id)
    .toReversed()
}
