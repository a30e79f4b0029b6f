import { Effect, Option, Random, Result, Schema } from "effect"
import { call, type TimedResponse } from "./calls.ts"
import type { Replica } from "./replica.ts"

/** A replica and the version that it runs. */
export interface VersionedReplica extends Replica {
  readonly version: string
}

export interface ClientRequest {
  readonly operation: string
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly key: string
  readonly body?: unknown
  /** Makes it safe to repeat the request. */
  readonly idempotencyKey?: string
  /** The only version that supports the request. */
  readonly version?: string
  /** The allowed results: a status, or a status followed by an error code. */
  readonly expected: ReadonlyArray<string>
}

/**
 * The response to a request. Also shows if an earlier attempt got no response, so that the request may have been
 * carried out twice.
 */
export interface ClientResponse extends TimedResponse {
  /** The status, followed by the error code if there is one. */
  readonly result: string
  readonly isRepeated: boolean
}

const Problem = Schema.fromJsonString(Schema.Struct({ code: Schema.String, detail: Schema.String }))
const decodeProblem = Schema.decodeUnknownResult(Problem)

/** The status, followed by the error code if there is one. */
export const resultOf = ({ status, text }: TimedResponse): string => {
  if (status < 400) return String(status)
  const problem = Result.getSuccess(decodeProblem(text))
  return Option.match(problem, { onNone: () => String(status), onSome: ({ code }) => `${status} ${code}` })
}

interface Counted {
  count: number
  readonly isExpected: boolean
  readonly example: string
}

/**
 * There is no response, the database is busy, or the same request is still being carried out. Clients repeat such
 * requests.
 */
const isTransient = ({ result, status }: { readonly result: string; readonly status: number }) =>
  status === 0 || status === 503 || result === "409 idempotency_in_flight"

/** Sends requests to any running replica, and counts the responses by version, operation and result. */
export const makeResponses = (running: () => ReadonlyArray<VersionedReplica>) => {
  const counted = new Map<string, Counted>()

  const record = (version: string, { expected, operation }: ClientRequest, result: string, text: string) => {
    const name = [version, operation, result].join("|")
    const isExpected = result === "0" || result === "409 idempotency_in_flight" || expected.includes(result)
    const row = counted.get(name) ?? { count: 0, isExpected, example: isExpected ? "" : text.slice(0, 300) }
    row.count += 1
    counted.set(name, row)
  }

  /** Sends a request to random replicas until a replica responds. */
  const send = Effect.fnUntraced(function* (request: ClientRequest) {
    for (let attempt = 1; ; attempt++) {
      const understands = (replica: VersionedReplica) => (request.version ?? replica.version) === replica.version
      const { url, version } = yield* Effect.orDie(Random.choice(running().filter(understands)))
      const { body, idempotencyKey, key, method, path } = request
      const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }
      const response = yield* call(`${url}${path}`, { method, key, headers, ...(body === undefined ? {} : { body }) })
      const result = resultOf(response)
      record(version, request, result, response.text)
      if (!isTransient({ result, status: response.status }) || attempt === 200) {
        return { ...response, result, isRepeated: attempt > 1 } satisfies ClientResponse
      }
      yield* Effect.sleep("100 millis")
    }
  })

  return {
    send,
    /** One line for each kind of response. Wrong responses are marked. */
    table: () =>
      [...counted]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, { count, isExpected }]) => `${name.replaceAll("|", "  ")}  ${count}${isExpected ? "" : "  WRONG"}`)
        .join("\n"),
    /** The wrong responses, with an example of each. */
    wrong: () =>
      [...counted]
        .filter(([, { isExpected }]) => !isExpected)
        .map(
          ([name, { count, example }]) => `wrong response: ${name.replaceAll("|", " ")} (${count} times): ${example}`
        )
  }
}

export type Responses = ReturnType<typeof makeResponses>
