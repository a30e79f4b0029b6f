import { Console, Data, Effect, Option, Predicate, Redacted, Schema, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { agentConnection } from "../config.ts"
import { type Line, splitLines } from "../domain/splitLines.ts"
import { member, routingHeaders } from "../mcp/routingHeaders.ts"

const concurrency = 8

/** Larger than the service's limit, so that the service refuses a long line with the call's id in its answer. */
const longestLine = 16 * 1024 * 1024

/** In bytes. A list of the longest posts has a quarter of it. */
const longestAnswer = 32 * 1024 * 1024

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const utf8 = new TextDecoder()

const write = (message: unknown) => Console.log(JSON.stringify(message))

const refuse = (code: number, message: string) => write({ jsonrpc: "2.0", id: null, error: { code, message } })

const isId = (id: unknown) => Predicate.isString(id) || Predicate.isNumber(id)

/** True for messages that get no answer: notifications have no id, and responses have no method. */
const isUnanswered = (message: unknown) =>
  Predicate.isObject(message) && Predicate.isString(member(message, "method")) === (member(message, "id") === undefined)

const fail = (request: unknown, message: string, data?: unknown) => {
  const id = member(request, "id")
  return Effect.andThen(
    Console.error(message),
    isUnanswered(request)
      ? Effect.void
      : write({ jsonrpc: "2.0", id: isId(id) ? id : null, error: { code: -32_603, message, data } })
  )
}

class AnswerTooLong extends Data.TaggedError("AnswerTooLong") {}

const readAnswer = Effect.fnUntraced(function* ({ headers, status, stream }: HttpClientResponse.HttpClientResponse) {
  const parts: Array<Uint8Array> = []
  let size = 0
  yield* Stream.runForEach(stream, (part) => {
    size += part.byteLength
    parts.push(part)
    return size > longestAnswer ? Effect.fail(new AnswerTooLong()) : Effect.void
  })
  return { status, text: utf8.decode(Buffer.concat(parts)), location: headers["location"] } satisfies Answered
})

interface Answered {
  readonly status: number
  readonly text: string
  readonly location: string | undefined
}

/**
 * Says to which address the service redirects. Redirects are not followed, because the key must not reach another host.
 */
const describeForeign = ({ location, status }: Answered, url: string): string => {
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url).href : undefined
  if (status < 300 || status >= 400 || target === undefined) return `The service answered ${status}`
  const [, base] = /^(https?:\/\/[^?#]*)\/mcp\/*$/.exec(target) ?? []
  return base === undefined || base === url
    ? `The service at ${url} redirects to ${target}`
    : `The service at ${url} redirects to ${base}; set SOCIAL_PUBLISHER_URL to that`
}

/** Passes on a JSON-RPC answer. Any other answer becomes an error, with its `detail` if it has one. */
const passOn = (request: unknown, answered: Answered, url: string) => {
  const { status, text } = answered
  if (text === "" && status < 300 && isUnanswered(request)) return Effect.void
  const answer = Option.getOrUndefined(parse(text))
  if (member(answer, "jsonrpc") !== undefined) return isUnanswered(request) ? Console.error(text) : write(answer)
  const detail = member(answer, "detail")
  return fail(request, Predicate.isString(detail) ? detail : describeForeign(answered, url), answer)
}

/** Forwards lines of JSON-RPC to the service, which supports all revisions of the protocol, and prints its answers. */
export const mcp = Command.make(
  "mcp",
  {},
  Effect.fn(function* () {
    const { key, url } = yield* agentConnection
    const client = yield* HttpClient.HttpClient
    const stdio = yield* Stdio.Stdio

    const exchange = Effect.fnUntraced(function* (line: Line) {
      if (line === "too long") return yield* refuse(-32_600, `A line may have ${longestLine} bytes at most`)
      const message = utf8.decode(line)
      if (message.trim() === "") return
      const request = Option.getOrUndefined(parse(message))
      if (request === undefined) return yield* refuse(-32_700, "The line is not valid JSON")
      const sent = HttpClientRequest.post(`${url}/mcp`).pipe(
        HttpClientRequest.bearerToken(Redacted.value(key)),
        HttpClientRequest.accept("application/json, text/event-stream"),
        HttpClientRequest.setHeaders(routingHeaders(request)),
        // Sends the exact bytes, so that the service can refuse invalid UTF-8.
        HttpClientRequest.bodyUint8Array(line, "application/json")
      )
      yield* client.execute(sent).pipe(
        Effect.flatMap(readAnswer),
        Effect.matchEffect({
          onFailure: ({ _tag }) =>
            fail(
              request,
              _tag === "AnswerTooLong"
                ? `The answer has more than ${longestAnswer} bytes; ask for fewer posts at a time`
                : `The service at ${url} can't be reached`
            ),
          onSuccess: (answered) => passOn(request, answered, url)
        })
      )
    })

    yield* stdio.stdin.pipe(
      splitLines(longestLine),
      Stream.mapEffect(exchange, { concurrency, unordered: true }),
      Stream.runDrain
    )
  })
).pipe(
  Command.withDescription("Serve a client of MCP on standard input and output, for the service at SOCIAL_PUBLISHER_URL")
)
