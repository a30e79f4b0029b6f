const reserved = new Set("\\|{}@[]()<>#*_~")

const hashtag = /\{hashtag\|\\?#\|((?:\\[^]|[^\\{}|])+)\}/uy
const mention = /@\[((?:\\[^]|[^\\[\]])+)\]\(urn:li:(?:organization|person):[\w-]+\)/uy
const plainTag = /#[\p{L}\p{M}\p{N}]+/uy

const matchAt = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const plain = (text: string) => text.replaceAll(/\\([^])/gu, "$1")

/**
 * Reads little text as LinkedIn does: the text that people see, and the part that LinkedIn keeps. It cuts the text at
 * the first reserved character that is neither escaped nor part of a template.
 */
export const readCommentary = (commentary: string): { readonly kept: string; readonly text: string } => {
  let text = ""
  let at = 0
  while (at < commentary.length) {
    const character = commentary.charAt(at)
    if (!reserved.has(character)) {
      text += character
      at += 1
      continue
    }
    if (character === "\\" && reserved.has(commentary.charAt(at + 1))) {
      text += commentary.charAt(at + 1)
      at += 2
      continue
    }
    const tag = matchAt(hashtag, commentary, at)
    const name = matchAt(mention, commentary, at)
    const bare = matchAt(plainTag, commentary, at)
    const found = tag ?? name ?? bare
    if (found === null) break
    text += tag !== null ? `#${plain(tag[1] ?? "")}` : name !== null ? plain(name[1] ?? "") : found[0]
    at += found[0].length
  }
  return { kept: commentary.slice(0, at), text }
}
