import { DateTime } from "effect"
import twitterText from "twitter-text"
import { hashName } from "../../../sandbox/state/names.ts"
import type { SandboxPost } from "../../../sandbox/state/entry.ts"

const epoch = 1288834974657n

/** A snowflake: the time, and a number unique in its millisecond. */
export const tweetId = (now: number, number: number): string =>
  (((BigInt(now) - epoch) << 22n) | BigInt(number % 4_194_304)).toString()

/** X escapes these characters in the text of its responses. */
const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** X drops these, but keeps the zero-width joiner, which emoji need. */
const zeroWidth = /[\u200B\u2060\uFEFF]/g

/** X adds a missing scheme, and resolves its own short links. */
const expand = (url: string): string =>
  /^(https?:\/\/)?t\.co\//i.test(url)
    ? `https://example.com/${hashName(url, 10)}`
    : /^https?:\/\//i.test(url)
      ? url
      : `http://${url}`

/** The link that X appends to the text, with an entity for each file. */
const mediaLink = ({ id, media = [], username }: Pick<SandboxPost, "id" | "media" | "username">, start: number) => {
  const wrapped = `https://t.co/${hashName(`${id} media`, 10)}`
  const urls = media.map(({ key, type }) => ({
    start,
    end: start + wrapped.length,
    url: wrapped,
    expanded_url: `https://x.com/${username}/status/${id}/${type === "image" ? "photo" : "video"}/1`,
    display_url: `pic.x.com/${hashName(`${id} media`, 10)}`,
    media_key: key
  }))
  return { wrapped, urls }
}

/**
 * The text as X returns it: without zero-width characters, with t.co links, the rest escaped, and a link to the media.
 */
export const wrapLinks = (post: Pick<SandboxPost, "id" | "text" | "media" | "username">) => {
  const { id, text: posted } = post
  const visible = posted.replaceAll(zeroWidth, "")
  const urls: Array<{
    start: number
    end: number
    url: string
    expanded_url: string
    display_url: string
    media_key?: string | undefined
  }> = []
  let text = ""
  let read = 0
  for (const {
    indices: [start, end],
    url
  } of twitterText.extractUrlsWithIndices(visible)) {
    text += escapeText(visible.slice(read, start))
    const wrapped = `https://t.co/${hashName(`${id} ${urls.length}`, 10)}`
    const from = Array.from(text).length
    urls.push({
      start: from,
      end: from + wrapped.length,
      url: wrapped,
      expanded_url: expand(url),
      display_url: url.replace(/^https?:\/\//i, "")
    })
    text += wrapped
    read = end
  }
  text += escapeText(visible.slice(read))
  if (post.media === undefined || post.media.length === 0) return { text, urls }
  const before = text === "" ? "" : `${text} `
  const link = mediaLink(post, Array.from(before).length)
  return { text: before + link.wrapped, urls: [...urls, ...link.urls] }
}

export const mediaKeys = ({ media = [] }: SandboxPost): ReadonlyArray<string> =>
  media.flatMap(({ key }) => (key === undefined ? [] : [key]))

const mediaTypes = { image: "photo", gif: "animated_gif", video: "video" }

export const includedMedia = (posts: ReadonlyArray<SandboxPost>, fields: ReadonlyArray<string>) =>
  posts.flatMap(({ media = [] }) =>
    media.map(({ alt, key, type }) => ({
      media_key: key,
      type: mediaTypes[type],
      ...(fields.includes("alt_text") && alt !== "" ? { alt_text: alt } : {})
    }))
  )

export const tweet = (post: SandboxPost) => {
  const { text, urls } = wrapLinks(post)
  const second = Math.floor(post.at / 1000) * 1000
  return {
    id: post.id,
    text,
    edit_history_tweet_ids: [post.id],
    created_at: DateTime.formatIso(DateTime.makeUnsafe(second)),
    ...(urls.length === 0 ? {} : { entities: { urls } })
  }
}
