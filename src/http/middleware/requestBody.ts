import { Effect, Layer, Predicate } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest } from "effect/http"
import { InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from "../../api/problems.ts"
import { JsonBody } from "../../api/input.ts"
import { RequestId } from "../RequestId.ts"

const deepest = 32
/** More than any body needs. Each may be wrong, and each that is wrong is told. */
const mostValues = 10_000

const utf8 = new TextDecoder("utf-8", { fatal: true })

const isJson = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const [mediaType = ""] = (request.headers["content-type"] ?? "application/json").split(";")
  return mediaType.trim().toLowerCase() === "application/json" && request.headers["content-encoding"] === undefined
}

/** Why a body is more than is worth looking at, or undefined. */
const excessOf = (body: object): string | undefined => {
  let values = 0
  const isExcessive = (value: unknown, levels: number): boolean =>
    ++values > mostValues ||
    (typeof value === "object" &&
      value !== null &&
      (levels === 0 || Object.values(value).some((member) => isExcessive(member, levels - 1))))
  if (!isExcessive(body, deepest)) return undefined
  return values > mostValues
    ? `The body has more than ${mostValues} values`
    : `The body is nested deeper than ${deepest} levels`
}

const refuse = (detail: string) =>
  Effect.flatMap(RequestId, (request_id) =>
    Effect.fail(new InvalidRequest({ detail, errors: [{ path: [], message: detail }], request_id }))
  )

const isTooLarge = ({ reason }: HttpServerError.HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

const check = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const request_id = yield* RequestId
  if (!isJson(request)) {
    return yield* new UnsupportedMediaType({
      detail: "Send the body as it is, without Content-Encoding, and with Content-Type: application/json",
      request_id
    })
  }
  const tooLarge = new PayloadTooLarge({ detail: "A body may have 1 MiB at most", request_id })
  // Not read at all, so that nobody is asked to send it.
  const announced = Number(request.headers["content-length"] ?? 0)
  if (announced > Number((yield* HttpIncomingMessage.MaxBodySize) ?? Infinity)) return yield* tooLarge
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.catchIf(isTooLarge, () => Effect.fail(tooLarge)),
    Effect.catchTag("HttpServerError", () => refuse("The body could not be read to its end"))
  )
  const text = yield* Effect.catch(
    Effect.try(() => utf8.decode(bytes)),
    () => refuse("The body is not valid UTF-8")
  )
  const value = yield* Effect.catch(
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => (cause instanceof Error ? cause.message : "")
    }),
    (reason) =>
      refuse(text === "" ? "The body is empty; expected a JSON object" : `The body is not well-formed JSON: ${reason}`)
  )
  if (!Predicate.isObject(value)) return yield* refuse("The body has to be a JSON object")
  const excess = excessOf(value)
  if (excess !== undefined) return yield* refuse(excess)
})

export const requestBody = Layer.succeed(JsonBody, (handler) => Effect.andThen(check, handler))
