import { Console, Effect, Option, Predicate, Redacted, Schema, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { agentConnection } from "../config.ts"
import { member, routingHeaders } from "../mcp/routingHeaders.ts"

/** Calls that are in flight at once: a slow one keeps none of the others waiting. */
const concurrency = 8

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const write = (message: unknown) => Console.log(JSON.stringify(message))

/** Says that a request came to nothing; a notification has no answer. */
const fail = (request: unknown, message: string, data?: unknown) => {
  // A batch, which the service refuses, is no notification.
  const id = Array.isArray(request) ? null : member(request, "id")
  return Effect.andThen(
    Console.error(message),
    id === undefined ? Effect.void : write({ jsonrpc: "2.0", id, error: { code: -32_603, message, data } })
  )
}

/** Passes on an answer of the protocol, and says what a refusal before it tells. */
const passOn = (request: unknown, { status, text }: { readonly status: number; readonly text: string }) => {
  if (text === "") return status < 400 ? Effect.void : fail(request, `The service answered ${status}`)
  const answer = Option.getOrUndefined(parse(text))
  if (member(answer, "jsonrpc") !== undefined) return write(answer)
  const detail = member(answer, "detail")
  return fail(request, Predicate.isString(detail) ? detail : `The service answered ${status}`, answer)
}

/** Carries lines of JSON-RPC between standard input and output and the service, which knows all revisions of the protocol. */
export const mcp = Command.make(
  "mcp",
  {},
  Effect.fn(function* () {
    const { key, url } = yield* agentConnection
    const client = yield* HttpClient.HttpClient
    const stdio = yield* Stdio.Stdio

    const exchange = Effect.fnUntraced(function* (line: string) {
      const request = Option.getOrUndefined(parse(line))
      if (request === undefined) {
        return yield* write({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "The line is no JSON" } })
      }
      const sent = HttpClientRequest.post(`${url}/mcp`).pipe(
        HttpClientRequest.bearerToken(Redacted.value(key)),
        HttpClientRequest.accept("application/json, text/event-stream"),
        HttpClientRequest.setHeaders(routingHeaders(request)),
        HttpClientRequest.bodyText(line, "application/json")
      )
      const answered = yield* Effect.option(
        Effect.flatMap(client.execute(sent), (response: HttpClientResponse.HttpClientResponse) =>
          Effect.map(response.text, (text) => ({ status: response.status, text }))
        )
      )
      yield* Option.match(answered, {
        onNone: () => fail(request, `The service at ${url} can't be reached`),
        onSome: (answer) => passOn(request, answer)
      })
    })

    yield* stdio.stdin.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.mapEffect(exchange, { concurrency, unordered: true }),
      Stream.runDrain
    )
  })
).pipe(
  Command.withDescription("Serve a client of MCP on standard input and output, for the service at SOCIAL_PUBLISHER_URL")
)
