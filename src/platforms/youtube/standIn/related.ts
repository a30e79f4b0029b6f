import type { StandInRequest } from "../../../sandbox/endpoint.ts"

const lineEnd = "\r\n"

/** The metadata and the file of a body of type multipart/related, which has exactly these two parts. */
export const readRelated = ({
  bytes,
  headers
}: Pick<StandInRequest, "bytes" | "headers">): { readonly metadata: string; readonly file: Uint8Array } | undefined => {
  const type = /^multipart\/related;\s*boundary="?(?<boundary>[^";]+)"?$/.exec(headers["content-type"] ?? "")
  if (type === null) return undefined
  const body = Buffer.from(bytes)
  const mark = `--${type.groups?.["boundary"] ?? ""}`
  const first = body.indexOf(mark)
  const second = body.indexOf(`${lineEnd}${mark}`, first + mark.length)
  const last = body.lastIndexOf(`${lineEnd}${mark}--`)
  if (first !== 0 || second < 0 || last <= second) return undefined
  const contentOf = (from: number, to: number) => {
    const head = `${lineEnd}${lineEnd}`
    return body.subarray(body.indexOf(head, from) + head.length, to)
  }
  return { metadata: contentOf(0, second).toString(), file: contentOf(second, last) }
}
