import { Parser } from "htmlparser2"

/** From Open Graph, Twitter's cards or plain HTML. */
export interface PageMetadata {
  readonly title: string
  readonly description: string
  /** As written, perhaps relative. */
  readonly image: string | undefined
}

const maxTitle = 300
const maxDescription = 1000
const maxValue = 8000

/** The preferred name first. */
const names = {
  title: ["og:title", "twitter:title"],
  description: ["og:description", "twitter:description", "description"],
  image: ["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"]
}
const known = new Set(Object.values(names).flat())

/** One line without characters that can't be stored, cut at a whole character. */
const tidy = (text: string, maxLength: number): string => {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length <= maxLength
    ? line.toWellFormed()
    : `${line
        .slice(0, maxLength - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** The parser's time per element grows with its depth. */
const maxDepth = 512
/** The depth is checked once per this many characters. */
const partLength = 8192

/**
 * Parses in linear time and without a tree, until the body begins or elements are nested too deeply. The first value of
 * a name counts.
 */
export function* pageMetadataSteps(markup: string): Generator<void, PageMetadata> {
  const values = new Map<string, string>()
  let title: string | undefined
  let inTitle = false
  let inPicture = 0
  const position = { depth: 0, inBody: false }
  const parser = new Parser({
    onopentag: (tag, attributes) => {
      position.depth++
      if (tag === "body") position.inBody = true
      if (tag === "svg") inPicture++
      if (tag === "title" && title === undefined && inPicture === 0) {
        inTitle = true
        title = ""
      }
      if (tag !== "meta") return
      const name = (attributes["property"] ?? attributes["name"] ?? "").trim().toLowerCase()
      const content = attributes["content"] ?? ""
      if (known.has(name) && !values.has(name) && content.trim() !== "") values.set(name, content.slice(0, maxValue))
    },
    ontext: (text) => {
      if (inTitle && title !== undefined && title.length < maxValue) title += text
    },
    onclosetag: (tag) => {
      position.depth--
      if (tag === "svg") inPicture--
      if (tag === "title") inTitle = false
    }
  })
  for (let at = 0; at < markup.length; at += partLength) {
    parser.write(markup.slice(at, at + partLength))
    if (position.depth >= maxDepth || position.inBody) break
    yield
  }
  if (position.depth < maxDepth) parser.end()
  const first = (list: ReadonlyArray<string>) =>
    list.map((name) => values.get(name)).find((value) => value !== undefined)
  return {
    title: tidy(first(names.title) ?? title ?? "", maxTitle),
    description: tidy(first(names.description) ?? "", maxDescription),
    image: first(names.image)?.trim()
  }
}
