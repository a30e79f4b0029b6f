/** What of a request servers on its way may read differently. */
export interface Message {
  readonly version: string
  /** The names of the headers as they were sent, in lower case. */
  readonly names: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly url: string
}

/** Of these, some servers take the first and some the last. */
const single = ["host", "authorization", "content-type", "idempotency-key"]

const host = /^(\[[\da-f:.]+\]|[\w.~%-]+)(:\d{1,5})?$/i

/** In what a request is not read alike by every server, or undefined where it is. */
export const misreading = ({ headers, names, url, version }: Message): string | undefined => {
  const repeated = single.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const coding = headers["transfer-encoding"]
  if (version !== "1.1" && version !== "1.0") return "This is not an HTTP/1.1 request"
  if (repeated !== undefined) return `The header ${repeated} is there more than once`
  if (headers["host"] === undefined ? version !== "1.0" : !host.test(headers["host"])) {
    return "The header Host has to name a host"
  }
  if (coding !== undefined && (version === "1.0" || coding.toLowerCase() !== "chunked")) {
    return "A body comes with its length, or in HTTP/1.1 in chunks and in no other coding"
  }
  return url.includes("#") ? "An address in a request has no fragment" : undefined
}
