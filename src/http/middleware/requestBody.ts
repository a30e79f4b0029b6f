import { Effect, Layer, Predicate } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest } from "effect/http"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { CheckedInput, JsonBody } from "../../api/input.ts"
import * as Problem from "../../api/problems.ts"
import { listIssues } from "../issues.ts"
import { fail, failInvalid } from "../problems.ts"

const maxDepth = 32
/** More than any body needs. Checking is proportional to it, as each value may be an issue. */
const maxValues = 10_000

const utf8 = new TextDecoder("utf-8", { fatal: true })

const isJson = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const [mediaType = ""] = (request.headers["content-type"] ?? "application/json").split(";")
  return mediaType.trim().toLowerCase() === "application/json" && request.headers["content-encoding"] === undefined
}

/** What to send instead of the type that came, which is cut to a length that no type has. */
const describeType = ({ headers }: HttpServerRequest.HttpServerRequest): string => {
  const came = headers["content-encoding"] ?? headers["content-type"] ?? ""
  return `The body came as ${came.slice(0, 100)}. Send it as it is, without Content-Encoding, and with Content-Type: application/json`
}

/** Why a body has too much structure to be checked, or undefined. */
const findExcess = (body: object): string | undefined => {
  let values = 0
  const isExcessive = (value: unknown, levels: number): boolean =>
    ++values > maxValues ||
    (typeof value === "object" &&
      value !== null &&
      (levels === 0 || Object.values(value).some((member) => isExcessive(member, levels - 1))))
  if (!isExcessive(body, maxDepth)) return undefined
  return values > maxValues
    ? `The body has more than ${maxValues} values`
    : `The body is nested deeper than ${maxDepth} levels`
}

const failBody = (message: string) => failInvalid([{ path: [], message }])

const isTooLarge = ({ reason }: HttpServerError.HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

const tooLarge = fail(Problem.PayloadTooLarge, { detail: "A body may have 1 MiB at most" })

const checkBody = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isJson(request)) return yield* fail(Problem.UnsupportedMediaType, { detail: describeType(request) })
  // Refused before it is read, so that a client that waits for 100 Continue does not send it.
  const contentLength = Number(request.headers["content-length"] ?? 0)
  if (contentLength > Number((yield* HttpIncomingMessage.MaxBodySize) ?? Infinity)) return yield* tooLarge
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.catchIf(isTooLarge, () => tooLarge),
    Effect.catchTag("HttpServerError", () => failBody("The body could not be read to its end"))
  )
  const text = yield* Effect.catch(
    Effect.try(() => utf8.decode(bytes)),
    () => failBody("The body is not valid UTF-8")
  )
  const value = yield* Effect.catch(
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => (cause instanceof Error ? cause.message : "")
    }),
    (reason) =>
      failBody(
        text === "" ? "The body is empty; expected a JSON object" : `The body is not well-formed JSON: ${reason}`
      )
  )
  if (!Predicate.isObject(value)) return yield* failBody("The body has to be a JSON object")
  const excess = findExcess(value)
  if (excess !== undefined) return yield* failBody(excess)
})

const jsonBodyLayer = Layer.succeed(JsonBody, (handler) => Effect.andThen(checkBody, handler))

/** The body where the failure is in it. It has been read, so it is not read again. */
const readBody = (kind: HttpApiError.HttpApiSchemaError["kind"]) =>
  kind === "Payload"
    ? Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => Effect.orElseSucceed(request.json, () => null))
    : Effect.succeed(null)

/** Lists every parameter and member that does not fit its schema. */
const checkedInputLayer = HttpApiMiddleware.layerSchemaErrorTransform(CheckedInput, (error) =>
  // "Body" and "ResponseHeaders" are failures to encode a response: not the caller's mistake but a defect.
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.fail(error)
    : Effect.flatMap(readBody(error.kind), (body) => failInvalid(listIssues(error.cause, body)))
)

export const requestBodyLayer = Layer.merge(jsonBodyLayer, checkedInputLayer)
