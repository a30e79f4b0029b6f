import { linkedin as preview } from "../preview.ts"

/** LinkedIn cuts a text at any of these that is not escaped, and says nothing about it. */
const reserved = /[\\|{}@[\]()<>#*_~]/g

const escape = (text: string): string => text.replaceAll(reserved, (character) => `\\${character}`)

/** A hashtag has a letter, and begins where no word or other hashtag goes on. */
const hashtag = /(?<![\p{L}\p{M}\p{N}_#&/])#(?=[\p{N}_]*\p{L})[\p{L}\p{M}\p{N}_]{1,100}(?![\p{L}\p{M}\p{N}_#])/u

const template = new RegExp(`(?<mention>${preview.mention.source})|(?<tag>${hashtag.source})`, "gu")

const mentionParts = /^@\[(?<name>[^]*)\]\((?<urn>urn:[\w:-]+)\)$/u

/** Mentions and hashtags of a text, by UTF-16 indices. */
export const findTemplates = (text: string) =>
  Array.from(text.matchAll(template), ({ 0: found, index }) => ({ start: index, end: index + found.length }))

const written = (found: string): string => {
  const { name, urn } = mentionParts.exec(found)?.groups ?? {}
  return name === undefined ? `{hashtag|\\#|${escape(found.slice(1))}}` : `@[${escape(name)}](${urn})`
}

/**
 * A text as LinkedIn's posts need it ("little text"): every reserved character escaped, hashtags as templates, and the
 * mentions that the author wrote, `@[Name](urn:li:organization:1)`.
 */
export const toLittleText = (text: string): string => {
  let sent = ""
  let read = 0
  for (const { end, start } of findTemplates(text)) {
    sent += escape(text.slice(read, start)) + written(text.slice(start, end))
    read = end
  }
  return sent + escape(text.slice(read))
}

const sentPart = /\{hashtag\|\\?[#＃]\|(?<tag>(?:\\[^]|[^\\{}|])*)\}|\\(?<escaped>[^])/gu

/** The author's text again, from the text that was sent or that LinkedIn shows. */
export const fromLittleText = (sent: string): string => {
  let text = ""
  let read = 0
  for (const { 0: whole, groups, index } of sent.matchAll(sentPart)) {
    const tag = groups?.["tag"]
    text += sent.slice(read, index) + (tag === undefined ? (groups?.["escaped"] ?? "") : `#${fromLittleText(tag)}`)
    read = index + whole.length
  }
  return text + sent.slice(read)
}
