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
  /** The whole of a post that is longer than `text` holds. */
  note_tweet: Schema.optionalKey(Schema.Struct({ text: Schema.String, entities: Schema.optionalKey(Entities) }))
})
type TimelinePost = typeof TimelinePost.Type

/** An account's posts, newest first; without `data` where there are none. */
export const Timeline = Schema.Struct({ data: Schema.optionalKey(Schema.Array(TimelinePost)) })
export type Timeline = typeof Timeline.Type

const unescapeHtml = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** X adds a scheme where an address has none, and may write it another way. */
const canonicalAddress = (address: string): string => {
  const url = URL.parse(/^https?:\/\//i.test(address) ? address : `http://${address}`)
  return url === null ? address : url.host + url.pathname.replace(/\/$/, "") + url.search + url.hash
}

const canonical = (text: string): string => text.normalize("NFC").replaceAll(/\s+/g, " ").trim()

const canonicalWritten = (text: string): string => {
  const normalized = text.normalize("NFC")
  let result = ""
  let read = 0
  for (const {
    url,
    indices: [start, end]
  } of twitterText.extractUrlsWithIndices(normalized)) {
    result += normalized.slice(read, start) + canonicalAddress(url)
    read = end
  }
  return canonical(result + normalized.slice(read))
}

const canonicalShown = (post: TimelinePost): string => {
  const shown = post.note_tweet ?? post
  const addresses = new Map(
    (shown.entities?.urls ?? []).map(({ expanded_url, url }) => [url, canonicalAddress(expanded_url ?? url)])
  )
  return canonical(unescapeHtml(shown.text).replaceAll(/https:\/\/t\.co\/\w+/g, (link) => addresses.get(link) ?? link))
}

const createdFrom = (post: TimelinePost, from: DateTime.Utc): boolean =>
  Option.match(DateTime.make(post.created_at ?? ""), {
    onNone: () => false,
    // X tells whole seconds only, so a post of the same second counts.
    onSome: (created) => DateTime.isGreaterThanOrEqualTo(created, DateTime.startOf(from, "second"))
  })

/** The id of the account's post with this text that was made at `from` or later. */
export const findOnTimeline = (timeline: Timeline, text: string, from: DateTime.Utc): Option.Option<string> => {
  const wanted = canonicalWritten(text)
  const found = (timeline.data ?? []).findLast((post) => createdFrom(post, from) && canonicalShown(post) === wanted)
  return Option.map(Option.fromUndefinedOr(found), (post) => post.id)
}
