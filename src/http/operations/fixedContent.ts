import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

const codings = ["br", "gzip"] as const
type Coding = (typeof codings)[number]

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** A second for the 3 MB of the reference page. The highest quality would take many. */
const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

const compress: Readonly<Record<Coding, (body: Uint8Array) => Promise<Uint8Array>>> = {
  br: (body) => brotli(body, brotliQuality),
  gzip: (body) => deflate(body)
}

/** The content in one coding, as a whole response and as the response to a client that has it. */
interface Representation {
  readonly tag: string
  readonly whole: HttpServerResponse.HttpServerResponse
  readonly unchanged: HttpServerResponse.HttpServerResponse
}

type Content = ReadonlyMap<Coding | "identity", Representation>

/** What a fixed content is sent with. */
export interface Description {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

const represent = (body: Uint8Array, { contentType, headers }: Description, coding?: Coding): Representation => {
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`
  const own = { ...headers, etag: tag, vary: "Accept-Encoding" }
  return {
    tag,
    whole: HttpServerResponse.uint8Array(body, {
      contentType,
      headers: coding === undefined ? own : { ...own, "content-encoding": coding }
    }),
    unchanged: HttpServerResponse.empty({ status: 304, headers: own })
  }
}

const makeContent = Effect.fnUntraced(function* (body: Uint8Array, description: Description) {
  const compressed = yield* Effect.forEach(codings, (coding) =>
    Effect.map(
      Effect.promise(() => compress[coding](body)),
      (bytes) => [coding, represent(bytes, description, coding)] as const
    )
  )
  return new Map<Coding | "identity", Representation>([...compressed, ["identity", represent(body, description)]])
})

/** The weight of each coding in an Accept-Encoding header, by its name in lower case. */
const parseAccepted = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").map((entry) => {
      const [name = "", ...parameters] = entry.toLowerCase().split(";")
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
      return [name.trim(), Number(weight ?? 1)]
    })
  )

/** The coding that a client prefers; of equal ones the smallest content. */
const chooseCoding = (header: string | undefined): Coding | "identity" => {
  if (header === undefined) return "identity"
  const accepted = parseAccepted(header)
  const weigh = (coding: Coding) => accepted.get(coding) ?? accepted.get("*") ?? 0
  const best = weigh("gzip") > weigh("br") ? "gzip" : "br"
  return weigh(best) > 0 && weigh(best) >= (accepted.get("identity") ?? 0) ? best : "identity"
}

/** Whether If-None-Match names the tag. The comparison is the weak one. */
const isKnown = (header: string | undefined, tag: string): boolean =>
  header?.split(",").some((entry) => entry.trim() === "*" || entry.trim().replace(/^W\//, "") === tag) === true

const respond = (content: Content, { headers }: HttpServerRequest.HttpServerRequest) => {
  const coding = chooseCoding(headers["accept-encoding"])
  const representation = content.get(coding)
  if (representation === undefined) return Effect.die(new Error(`No content in the coding ${coding}`))
  return Effect.succeed(
    isKnown(headers["if-none-match"], representation.tag) ? representation.unchanged : representation.whole
  )
}

/**
 * For a route whose content never changes: the route is called once, and its body is kept compressed and with ETags. All
 * responses share the bytes, so that slow readers cost no memory each.
 */
export const fixedContent = (describe: (body: Uint8Array) => Description) =>
  HttpRouter.middleware(
    Effect.sync(() => {
      let content: Content | undefined
      return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          if (content !== undefined) return yield* respond(content, request)
          const response = yield* handler
          if (response.body._tag !== "Uint8Array") return response
          const { body } = response.body
          content = yield* makeContent(body, describe(body))
          return yield* respond(content, request)
        })
    })
  )
