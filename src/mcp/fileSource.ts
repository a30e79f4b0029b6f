import { Option, Schema } from "effect"

const maxUrlLength = 2_000
const maxDataBytes = 4 * 1024 * 1024

/** The longest data URL: base64 makes four characters of three bytes, behind the type. */
export const maxDataUrlLength = Math.ceil(maxDataBytes / 3) * 4 + 200

const dataPrefix = /^data:[\w.+/;=-]{0,150};base64,/i
/** Also the URL's alphabet, and the line breaks of the command `base64`. */
const base64 = /^[\w+/\-\r\n]*[\w+/-]={0,2}[\r\n]*$/

const isHttps = (text: string): boolean => text.length <= maxUrlLength && /^https:/i.test(text) && URL.canParse(text)

const findData = (url: string): Option.Option<string> => {
  const [prefix] = dataPrefix.exec(url.slice(0, 200)) ?? []
  return prefix === undefined ? Option.none() : Option.some(url.slice(prefix.length))
}

const isData = (data: string): boolean => {
  const bytes = Buffer.byteLength(data, "base64")
  return bytes > 0 && bytes <= maxDataBytes && base64.test(data)
}

const expected =
  "a public https address, or a data: URL with up to 4 MB in base64. A file of the agent's machine can be sent to POST /v1/media with the same key, as multipart/form-data"

/** The source of a file for add_media. */
export const FileSource = Schema.String.check(
  Schema.makeFilter((text) => isHttps(text) || Option.exists(findData(text), isData), { expected })
).annotateKey({
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
