import { DateTime, Option, Schema } from "effect"
import twitterText from "twitter-text"

const Entities = Schema.Struct({
  urls: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        url: Schema.String,
        expanded_url: Schema.optionalKey(Schema.String)
      })
    )
  )
})

const TimelinePost = Schema.Struct({
  id: Schema.NonEmptyString,
  text: Schema.String,
  created_at: Schema.optionalKey(Schema.String),
  entities: Schema.optionalKey(Entities),
  /** The whole post if it is longer than `text` can hold. */
  note_tweet: Schema.optionalKey(Schema.Struct({ text: Schema.String, entities: Schema.optionalKey(Entities) }))
})
type TimelinePost = typeof TimelinePost.Type

/** An account's posts, newest first. Without posts there is no `data`. */
export const Timeline = Schema.Struct({ data: Schema.optionalKey(Schema.Array(TimelinePost)) })
export type Timeline = typeof Timeline.Type

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

const canonical = (text: string): string => text.normalize("NFC").replaceAll(/\s+/g, " ").trim()

const canonicalSent = (text: string): string => {
  const normalized = text.normalize("NFC")
  let result = ""
  let read = 0
  for (const {
    url,
    indices: [start, end]
  } of twitterText.extractUrlsWithIndices(normalized)) {
    result += normalized.slice(read, start) + canonicalUrl(url)
    read = end
  }
  return canonical(result + normalized.slice(read))
}

const canonicalShown = (post: TimelinePost): string => {
  const shown = post.note_tweet ?? post
  const urls = new Map(
    (shown.entities?.urls ?? []).map(({ expanded_url, url }) => [url, canonicalUrl(expanded_url ?? url)])
  )
  return canonical(unescapeHtml(shown.text).replaceAll(/https:\/\/t\.co\/\w+/g, (link) => urls.get(link) ?? link))
}

const isCreatedSince = (post: TimelinePost, from: DateTime.Utc): boolean =>
  Option.match(DateTime.make(post.created_at ?? ""), {
    onNone: () => false,
    // X returns whole seconds, so a post of the same second counts.
    onSome: (created) => DateTime.isGreaterThanOrEqualTo(created, DateTime.startOf(from, "second"))
  })

/** The id of the account's oldest post with this text that was created at `from` or later. */
export const findOnTimeline = (timeline: Timeline, text: string, from: DateTime.Utc): Option.Option<string> => {
  const wanted = canonicalSent(text)
  const found = (timeline.data ?? []).findLast((post) => isCreatedSince(post, from) && canonicalShown(post) === wanted)
  return Option.map(Option.fromUndefinedOr(found), (post) => post.id)
}
