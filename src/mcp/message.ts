import { ByteSize, Predicate, Record, Result } from "effect"
import { findExcess } from "../http/jsonBounds.ts"
import { maxDataUrlLength } from "./fileSource.ts"
import { type Answered, protocolError } from "./legacyClients.ts"
import { member } from "./routingHeaders.ts"

/** As many bytes as a body of the API may have. A data URL may come on top, because it is parsed quickly. */
const maxOtherBytes = 1_048_576
export const maxMessageBytes = ByteSize.mebibytes(7)

export const tooLargeDetail = `A message may have 1 MiB at most. Only add_media may have a data: URL of up to ${maxDataUrlLength} characters more`

/** Behind this begins a data URL, also if the arguments are JSON text. */
const urlMember = /\\?"url\\?"\s*:\s*\\?"data:/i

/** True for NaN too, which is the length of a message that declares none. */
export const isLarge = (bytes: number): boolean => !(bytes <= maxOtherBytes)

/** Measures without parsing, because parsing seven megabytes of small values takes long. */
const otherBytes = (text: string): number => {
  const found = urlMember.exec(text)
  const start = found === null ? text.length : found.index + found[0].length
  return Buffer.byteLength(text) - Math.max(0, text.indexOf('"', start) - start)
}

const carriesFile = (body: unknown): boolean => {
  const params = member(body, "params")
  const url = member(member(params, "arguments"), "url")
  return member(params, "name") === "add_media" && typeof url === "string" && /^data:/i.test(url)
}

const parse = (text: string) => Result.try((): unknown => JSON.parse(text))

const withoutNulls = (value: object) => Record.filter({ ...value }, Predicate.isNotNull)

/** Arguments that are an object as JSON text, or an empty text, become that object. */
const readArgumentsText = (text: string): unknown =>
  text.trim() === "" || text.trim() === "null"
    ? {}
    : isLarge(otherBytes(text))
      ? text
      : Result.getOrElse(parse(text), () => text)

/** Some clients send null for what is not set, or the arguments of a call as JSON text. */
const repair = (body: object): object => {
  const params = member(body, "params")
  if (!Predicate.isObject(params)) return { ...body, params: {} }
  const { _meta: meta, arguments: args, ...others }: Readonly<Record<string, unknown>> = withoutNulls(params)
  return {
    ...body,
    params: {
      ...others,
      ...(args !== undefined && { arguments: typeof args === "string" ? readArgumentsText(args) : args }),
      ...(meta !== undefined && { _meta: Predicate.isObject(meta) ? withoutNulls(meta) : meta })
    }
  }
}

const needsRepair = (body: unknown): body is object => {
  const params = member(body, "params")
  if (params !== null && !Predicate.isObject(params)) return false
  const values = [params, member(params, "_meta")].flatMap((value) =>
    Predicate.isObject(value) ? Object.values(value) : [value]
  )
  return values.includes(null) || typeof member(params, "arguments") === "string"
}

export interface Message {
  readonly text: string
  readonly body: unknown
}

/** Fails with the answer for a message that can't be read. */
export const readMessage = (text: string): Result.Result<Message, Answered | "TooLarge"> => {
  const large = isLarge(Buffer.byteLength(text))
  if (large && isLarge(otherBytes(text))) return Result.fail("TooLarge")
  const parsed = parse(text)
  if (Result.isFailure(parsed)) return Result.fail(protocolError(400, -32_700, "The body is not well-formed JSON"))
  const sent = parsed.success
  const body = needsRepair(sent) ? repair(sent) : sent
  const excess = Predicate.isObjectOrArray(body) ? findExcess(body) : undefined
  if (excess !== undefined) return Result.fail(protocolError(400, -32_600, excess, { id: member(body, "id") }))
  if (large && !carriesFile(body)) return Result.fail("TooLarge")
  // An unchanged text is passed on as it is, because JSON.stringify changes numbers beyond the range of a double.
  return Result.succeed({ text: body === sent ? text : JSON.stringify(body), body })
}
