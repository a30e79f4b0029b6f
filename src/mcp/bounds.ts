import { Predicate } from "effect"
import { graphemesOf } from "../domain/posts/text/textLength.ts"

export const maxResultBytes = 32_000

/** A grapheme can have any number of UTF-16 code units, so only this many are examined for each. */
const unitsPerGrapheme = 4

export const excerptOf = (text: string, graphemes: number): string => {
  const head = text.slice(0, graphemes * unitsPerGrapheme)
  let kept = ""
  let count = 0
  for (const { segment } of graphemesOf(head)) {
    if (++count > graphemes) return `${kept}…`
    kept += segment
  }
  return head.length === text.length ? text : `${kept.toWellFormed()}…`
}

export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Fields whose values stay whole, because a shortened id, URL or cursor is useless. */
const exact = /^(?:id|.*_id|etag|status|.*_at|url|.*_url|code|.*_code|next_cursor|type|platform|.*_key)$/

const cutTexts = (value: unknown, graphemes: number, name = ""): unknown => {
  // Most settings are one of a few words.
  if (name === "platform_settings") return value
  if (typeof value === "string") return exact.test(name) ? value : excerptOf(value, graphemes)
  if (Array.isArray(value)) return value.map((item: unknown) => cutTexts(item, graphemes, name))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, cutTexts(inner, graphemes, member)])
  )
}

/** Lengths in graphemes. Texts are cut to the first length with which the result fits. */
const lengths = [8_000, 4_000, 2_000, 1_000, 500, 250, 120, 60, 30, 10]

/** Cuts texts until the result has at most `maxResultBytes`. Then sets `truncated`. */
export const boundResult = (encoded: unknown): unknown => {
  if (jsonBytes(encoded) <= maxResultBytes) return encoded
  for (const length of lengths) {
    const cut = cutTexts(encoded, length)
    const marked = Predicate.isObject(cut) ? { ...cut, truncated: true } : cut
    if (jsonBytes(marked) <= maxResultBytes) return marked
  }
  return undefined
}
