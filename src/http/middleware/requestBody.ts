import { Effect, Layer, Option, Predicate, Schema } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  type HttpServerError,
  HttpServerRequest,
  HttpServerRespondable
} from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { Authentication } from "../../api/Authentication.ts"
import { CheckedInput, JsonBody, ParsedBody } from "../../api/input.ts"
import * as Problem from "../../api/problems.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import type { Issue } from "../../domain/errors.ts"
import { PostId } from "../../domain/ids.ts"
import { Posting } from "../../posting/Posting.ts"
import { listIssues } from "../issues.ts"
import { findExcess, maxValues } from "../jsonBounds.ts"
import { listChangeIssues, listPostIssues } from "../postIssues.ts"
import { fail, failInvalid } from "../problems.ts"
import { FindCaller } from "./authentication.ts"
import { makeMeasureTexts } from "./measureTexts.ts"
import { UnknownCallers } from "./unknownCallers.ts"

const readPostId = Schema.decodeUnknownOption(PostId)

const utf8 = new TextDecoder("utf-8", { fatal: true })

const isJson = ({ headers }: HttpServerRequest.HttpServerRequest): boolean => {
  const [mediaType = ""] = (headers["content-type"] ?? "application/json").split(";")
  return mediaType.trim().toLowerCase() === "application/json" && headers["content-encoding"] === undefined
}

/** The declared charset; by default UTF-8 (RFC 8259). */
const findCharset = ({ headers }: HttpServerRequest.HttpServerRequest): string =>
  /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]*))/i
    .exec(headers["content-type"] ?? "")
    ?.slice(1)
    .find((charset) => charset !== undefined)
    ?.toLowerCase() ?? "utf-8"

/** US-ASCII is a subset of UTF-8. */
const charsets = new Set(["utf-8", "utf8", "us-ascii"])

/** Shows at most 100 characters of the type. Real types have fewer. */
const describeType = ({ headers }: HttpServerRequest.HttpServerRequest): string => {
  const coding = headers["content-encoding"]
  const [type = ""] = (headers["content-type"] ?? "").split(";")
  const came =
    coding === undefined
      ? `as ${type.trim().slice(0, 100) || "no type"}`
      : `with Content-Encoding: ${coding.slice(0, 100)}`
  return `The body came ${came}. Send it as it is, without Content-Encoding, and with Content-Type: application/json`
}

const failBody = (message: string) => failInvalid([{ path: [], message }])

const isTooLarge = ({ reason }: HttpServerError.HttpServerError): boolean =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

const tooLarge = (maxBytes: number) =>
  fail(Problem.PayloadTooLarge, { detail: `A body may have ${maxBytes / 1_048_576} MiB at most` })

export const readJsonText = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isJson(request)) return yield* fail(Problem.UnsupportedMediaType, { detail: describeType(request) })
  const charset = findCharset(request)
  if (!charsets.has(charset)) {
    const detail = `The body came with charset=${charset.slice(0, 100)}. Send it in UTF-8, with Content-Type: application/json`
    return yield* fail(Problem.UnsupportedMediaType, { detail })
  }
  // Refuses a body that is too large before reading it, so that a client that waits for 100 Continue does not send it.
  const contentLength = Number(request.headers["content-length"] ?? 0)
  const maxBytes = Number((yield* HttpIncomingMessage.MaxBodySize) ?? Infinity)
  if (contentLength > maxBytes) return yield* tooLarge(maxBytes)
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.catchIf(isTooLarge, () => tooLarge(maxBytes)),
    Effect.catchTag("HttpServerError", () => failBody("The body could not be read to its end"))
  )
  return yield* Effect.catch(
    Effect.try(() => utf8.decode(bytes)),
    () => failBody("The body is not valid UTF-8")
  )
})

interface Bounds {
  readonly bytes: number
  readonly values: number
}

const known: Bounds = { bytes: Infinity, values: maxValues }

/** The bounds for a caller without a key or session, such as one that logs in. */
const unknown: Bounds = { bytes: 16_384, values: 100 }

const tooLargeUnknown = fail(Problem.PayloadTooLarge, { detail: "This body may have 16 KiB at most" })

const parseBody = Effect.fnUntraced(function* ({ bytes, values }: Bounds) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (Number(request.headers["content-length"] ?? 0) > bytes) return yield* tooLargeUnknown
  const text = yield* readJsonText
  if (text.length > bytes) return yield* tooLargeUnknown
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
  const excess = findExcess(value, values)
  if (excess !== undefined) return yield* failBody(excess)
  return { value, bytes: text.length }
})

const jsonBodyLayer = Layer.effect(
  JsonBody,
  Effect.gen(function* () {
    const { count } = yield* UnknownCallers
    const findCaller = yield* FindCaller
    const measureTexts = yield* makeMeasureTexts

    /** Counts a request that needs no key. Beyond the limit, only those with a valid key or session continue. */
    const admitUnknown = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      count(request, Effect.isSuccess(findCaller(request)))
    )

    return JsonBody.of((handler, { endpoint, group }) => {
      const hasTexts = group.identifier === "posts"
      const serve = (bounds: Bounds) =>
        Effect.flatMap(parseBody(bounds), ({ bytes, value }) => {
          const parsed = Effect.provideService(handler, ParsedBody, value)
          return hasTexts ? Effect.andThen(measureTexts(value, bytes), parsed) : parsed
        })
      return endpoint.middlewares.has(Authentication)
        ? serve(known)
        : Effect.matchEffect(admitUnknown, {
            // As a response, because endpoints that need a key have another limit.
            onFailure: (limited) => HttpServerRespondable.toResponse(limited),
            onSuccess: () => serve(unknown)
          })
    })
  })
)

/** A repeated parameter is decoded as a list, which fits no parameter. */
const listQueryIssues = (error: Schema.SchemaError) =>
  Effect.map(HttpServerRequest.ParsedSearchParams, (sent) =>
    listIssues(error).map((issue) =>
      Array.isArray(sent[String(issue.path[0])]) ? { ...issue, message: "Given more than once" } : issue
    )
  )

/** The issues of a post's body. Without an actor, only the schema's. */
const listPayloadIssues = Effect.fnUntraced(function* (
  { findChangeIssues, findPlanIssues }: Posting["Service"],
  error: Schema.SchemaError,
  name: string
) {
  const body = yield* ParsedBody
  const actor = yield* Effect.serviceOption(CurrentActor)
  if (Option.isNone(actor)) return listIssues(error, body)
  if (name === "posts.create") {
    return yield* listPostIssues(error, body, (post) =>
      findPlanIssues(actor.value, post).pipe(
        Effect.map(({ errors }) => errors),
        // The schema's issues suffice while the database is away.
        Effect.orElseSucceed((): ReadonlyArray<Issue> => [])
      )
    )
  }
  const id = readPostId((yield* HttpRouter.params)["id"])
  return name === "posts.update" && Option.isSome(id)
    ? yield* listChangeIssues(error, body, (patch) => findChangeIssues(actor.value, id.value, patch))
    : listIssues(error, body)
})

const checkedInputLayer = Layer.unwrap(
  Effect.map(Posting, (posting) =>
    HttpApiMiddleware.layerSchemaErrorTransform(CheckedInput, (error, { endpoint, group }) => {
      switch (error.kind) {
        // A response that can't be encoded is a defect, not the caller's mistake.
        case "Body":
        case "ResponseHeaders":
          return Effect.fail(error)
        case "Query":
          return Effect.flatMap(listQueryIssues(error.cause), failInvalid)
        case "Payload":
          return Effect.flatMap(
            listPayloadIssues(posting, error.cause, `${group.identifier}.${endpoint.identifier}`),
            failInvalid
          )
        default:
          return failInvalid(listIssues(error.cause))
      }
    })
  )
)

export const requestBodyLayer = Layer.merge(jsonBodyLayer, checkedInputLayer)
