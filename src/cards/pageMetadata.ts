import { Parser } from "htmlparser2"

/** From Open Graph, Twitter's cards or plain HTML. */
export interface PageMetadata {
  readonly title: string
  readonly description: string
  /** As written, perhaps relative, the preferred first. */
  readonly images: ReadonlyArray<string>
}

const maxTitle = 300
const maxDescription = 1000
const maxValue = 8000
const maxImages = 4

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
/** In characters. The depth is checked once per part. */
const partLength = 8192

export interface MetadataReader {
  /** False if later text can't change the metadata: the rest of the page need not be read. */
  readonly write: (text: string) => boolean
  readonly end: () => PageMetadata
}

/**
 * Parses in linear time and without a tree, until elements are nested too deeply, or until the body begins. The body is
 * parsed too if the head names no title for cards, because some pages name it there.
 */
export const makeMetadataReader = (): MetadataReader => {
  const values = new Map<string, Array<string>>()
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
      if (!known.has(name) || content.trim() === "") return
      const former = values.get(name) ?? []
      const value = content.slice(0, maxValue).trim()
      if (former.length < maxImages && !former.includes(value)) values.set(name, [...former, value])
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
  const valuesOf = (list: ReadonlyArray<string>) => list.flatMap((name) => values.get(name) ?? [])
  const isDone = () => position.depth >= maxDepth || (position.inBody && valuesOf(names.title).length > 0)
  const write = (text: string) => {
    for (let at = 0; at < text.length && !isDone(); at += partLength) parser.write(text.slice(at, at + partLength))
    return !isDone()
  }
  const end = () => {
    if (position.depth < maxDepth) parser.end()
    return {
      title: tidy(valuesOf(names.title)[0] ?? title ?? "", maxTitle),
      description: tidy(valuesOf(names.description)[0] ?? "", maxDescription),
      images: [...new Set(valuesOf(names.image))].slice(0, maxImages)
    }
  }
  return { write, end }
}
