import { Option, Schema } from "effect"

const maxUrlLength = 2_000
const maxDataBytes = 4 * 1024 * 1024

/** The longest data URL: base64 makes four characters of three bytes, behind the type. */
export const maxDataUrlLength = Math.ceil(maxDataBytes / 3) * 4 + 200

const dataPrefix = /^data:[\w.+/;=-]{0,150};base64,/i
/** Also the URL's alphabet, and the line breaks of the command `base64`. */
const base64 = /^[\w+/\-\r\n]*[\w+/-](?:[\r\n]*=){0,2}[\r\n]*$/

const step = "A file of the agent's machine can be sent to POST /v1/media with the same key, as multipart/form-data"
const notTaken = `Expected a public https address, or a data: URL with up to 4 MB in base64. ${step}`

const isHttps = (text: string): boolean => text.length <= maxUrlLength && /^https:/i.test(text) && URL.canParse(text)

const inMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`

const findData = (url: string): Option.Option<string> => {
  const [prefix] = dataPrefix.exec(url.slice(0, 200)) ?? []
  return prefix === undefined ? Option.none() : Option.some(url.slice(prefix.length))
}

/** The reason why a text is no source of a file. */
const findProblem = (text: string): string | undefined => {
  if (isHttps(text)) return undefined
  if (!/^data:/i.test(text)) return notTaken
  return Option.match(findData(text), {
    onNone: () =>
      `Expected a data: URL that begins like data:image/png;base64, with the file's type and ";base64,". ${step}`,
    onSome: (data) => {
      if (data.trim() !== "" && !base64.test(data)) {
        return `Expected base64 after "base64,", without other characters. ${step}`
      }
      const bytes = Buffer.byteLength(data.trim(), "base64")
      if (bytes === 0) return `The data: URL is empty: expected the file's bytes after "base64,". ${step}`
      return bytes <= maxDataBytes
        ? undefined
        : `Expected at most 4 MB, but the data: URL has ${inMegabytes(bytes)}. ${step}`
    }
  })
}

/** The source of a file for add_media. */
export const FileSource = Schema.String.check(Schema.makeFilter(findProblem)).annotateKey({
  description:
    "A public https address, or a data: URL in base64, up to 4 MB. POST /v1/media takes larger files, with the same key."
})

/** The body of an upload, if the source is a data URL. */
export const uploadOf = (source: string, alt: string): Option.Option<FormData> =>
  Option.map(findData(source), (data) => {
    const form = new FormData()
    form.append("alt", alt)
    form.append("file", new Blob([Buffer.from(data, "base64")]), "file")
    return form
  })
