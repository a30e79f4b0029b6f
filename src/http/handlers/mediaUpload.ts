import { ByteSize, Context, Duration, Effect, Schema, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, Multipart } from "effect/http"
import { CurrentActor } from "../../api/Authorization.ts"
import { Alt } from "../../api/media/mediaBodies.ts"
import { UnsupportedMediaType } from "../../api/problems.ts"
import { InvalidRequest, type Issue } from "../../domain/errors.ts"
import { scopeAuthority } from "../../domain/people/authority.ts"
import { MediaLibrary } from "../../media/MediaLibrary.ts"
import { requireMinimumRate } from "../../media/receive/minimumRate.ts"
import { listIssues, summarize } from "../issues.ts"
import { fail, orProblem } from "../problems.ts"
import { addHeaders } from "../responseHeaders.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Time in which the rest of a refused body is read. Clients that still send would not read the response. */
const drainTime = Duration.seconds(2)

/** The body has no limit here, because the file's limit depends on its type. */
const limits = Multipart.limitsServices({ maxParts: 4, maxFieldSize: ByteSize.kibibytes(32) }).pipe(
  Context.add(HttpIncomingMessage.MaxBodySize, undefined)
)

const invalid = (errors: ReadonlyArray<Issue>) => new InvalidRequest({ message: summarize(errors), errors })
const invalidBody = (message: string) => invalid([{ path: [], message }])

const notMultipart = fail(UnsupportedMediaType, {
  detail: "Send the file as the field `file` of a body of the type multipart/form-data"
})
const brokenOff = invalidBody("The body could not be read to its end")

const decodeAlt = (text: string) =>
  Schema.decodeEffect(Alt)(text).pipe(
    Effect.mapError((error) => invalid(listIssues(error).map(({ message }) => ({ path: ["alt"], message }))))
  )

const declaredSize = ({ headers }: Request): number | undefined => {
  const length = Number(headers["content-length"] ?? Number.NaN)
  return Number.isSafeInteger(length) && length >= 0 ? length : undefined
}

/** The alternative text may come before or after the file. */
const readBody = (request: Request) => {
  let alt: string | null = null
  let files = 0
  const parts = requireMinimumRate(request.stream).pipe(
    Stream.pipeThroughChannel(Multipart.makeChannel(request.headers)),
    Stream.provideContext(limits)
  )
  const contentOf = (part: Multipart.Part): Stream.Stream<Uint8Array, InvalidRequest | Multipart.MultipartError> => {
    if (part._tag === "Field" && part.key === "alt") {
      return Stream.drain(
        Stream.fromEffect(
          Effect.map(decodeAlt(part.value), (text) => {
            alt = text
          })
        )
      )
    }
    if (part._tag === "File" && part.key === "file" && files === 0) {
      files += 1
      return part.content
    }
    return Stream.fail(
      invalid([{ path: [part.key.slice(0, 100)], message: "Expected one `file`, and an `alt` at most" }])
    )
  }
  const bytes = Stream.flatMap(parts, contentOf).pipe(
    Stream.catchTag(["MultipartError", "HttpServerError"], () => Stream.fail(brokenOff))
  )
  return { bytes, alt: Effect.sync(() => alt), declaredSize: declaredSize(request) }
}

/** Reads the rest of a refused body for at most `drainTime`. */
export const receiveUpload = Effect.fn("receiveUpload")(
  function* (request: Request) {
    const by = scopeAuthority(yield* CurrentActor, "media:write")
    const library = yield* MediaLibrary
    const [type = ""] = (request.headers["content-type"] ?? "").split(";")
    if (type.trim().toLowerCase() !== "multipart/form-data") return yield* notMultipart
    return yield* orProblem(library.upload(by, readBody(request)))
  },
  (effect, request) =>
    Effect.tapError(effect, () =>
      Effect.andThen(
        addHeaders({ connection: "close" }),
        Effect.ignore(Effect.timeoutOption(Stream.runDrain(request.stream), drainTime))
      )
    )
)
