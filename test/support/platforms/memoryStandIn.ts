import { Effect, Stream } from "effect"
import { Headers, type HttpClientRequest, UrlParams } from "effect/http"
import type { PlatformResponse } from "../../../src/platforms/call.ts"
import { bearerToken, type Endpoint, type StandInRequest, type StandInResponse } from "../../../src/sandbox/endpoint.ts"
import { makeFiles } from "../../../src/sandbox/media/files.ts"
import { openStandIn } from "../../../src/sandbox/openStandIn.ts"
import { meet, type Outcome } from "../../../src/sandbox/outcome.ts"
import type { StandIn } from "../../../src/sandbox/StandIn.ts"
import { type Entry, type Grant, SandboxAccount } from "../../../src/sandbox/state/entry.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { makeState, type State } from "../../../src/sandbox/state/state.ts"
import type { FreshTokens } from "../../../src/sandbox/state/tokens.ts"
import { type TextOf, textInJson } from "./sentTexts.ts"

/** A request as a stand-in in memory receives it. */
export interface ReceivedRequest {
  readonly endpoint: Endpoint
  readonly read: Omit<StandInRequest, "now" | "fresh" | "oddity">
  readonly token: string
  /** The text to publish; null if the request publishes nothing. */
  readonly text: string | null
}

const decoder = new TextDecoder()

/** A blob can't be read synchronously, so its bytes are replaced by a picture's signature and zeros. */
const contentOf = (blob: Blob): Uint8Array => {
  const bytes = new Uint8Array(blob.size)
  bytes.set([...Buffer.from("\u{89}PNG\r\n\u{1a}\n", "latin1")].slice(0, blob.size))
  return bytes
}

/** Streams of the tests have their bytes at hand. */
const bytesOf = ({ body }: HttpClientRequest.HttpClientRequest): Uint8Array => {
  if (body._tag === "Uint8Array") return body.body
  if (body._tag !== "Stream") return new Uint8Array()
  return new Uint8Array(Buffer.concat(Effect.runSync(Stream.runCollect(Stream.orDie(body.stream)))))
}

const formOf = ({ body }: HttpClientRequest.HttpClientRequest): StandInRequest["form"] =>
  new Map(
    body._tag === "FormData"
      ? [...body.formData].map(([name, value]) => [name, typeof value === "string" ? value : contentOf(value)])
      : []
  )

/** The path of an endpoint as a regular expression. */
const patternOf = ({ path }: Endpoint) => new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`)

export const callOf = ({ endpoint: { call }, read: { body } }: ReceivedRequest) =>
  typeof call === "string" ? call : call(body)

export const toPlatformResponse = ({ body = "", headers = {}, status }: StandInResponse): PlatformResponse => ({
  status,
  headers: Headers.fromInput(headers),
  body: typeof body === "string" ? body : JSON.stringify(body)
})

/** The response of a platform that loses no responses. */
export const answerNow = (response: Outcome["response"]): PlatformResponse => {
  if (typeof response === "string") throw new TypeError("The response is lost")
  return toPlatformResponse(response)
}

/** A platform's stand-in in memory, without HTTP, with no limits. */
export const memoryStandIn = (standIn: StandIn, textOf: TextOf = textInJson) => {
  const { account, errorFormat, platform } = standIn
  const state = makeState()
  const { endpoints, tokens } = openStandIn(standIn, {
    files: makeFiles(64 * 1024 * 1024),
    limit: () => Number.MAX_SAFE_INTEGER
  })
  const patterns = endpoints.map((endpoint) => ({ endpoint, pattern: patternOf(endpoint) }))

  const receive = (request: HttpClientRequest.HttpClientRequest): ReceivedRequest => {
    const url = new URL(request.url)
    const path = decodeURIComponent(url.pathname)
    const found = patterns.find(({ endpoint, pattern }) => endpoint.method === request.method && pattern.test(path))
    if (found === undefined) throw new Error(`${platform} has no ${request.method} ${path}`)
    const bytes = bytesOf(request)
    const read = {
      headers: { host: url.host, ...request.headers },
      params: found.pattern.exec(path)?.groups ?? {},
      query: new URLSearchParams(UrlParams.toString(request.urlParams)),
      body: decoder.decode(bytes),
      bytes,
      form: formOf(request)
    }
    const received = { endpoint: found.endpoint, read, token: bearerToken(read) ?? "", text: null }
    const call = callOf(received)
    return call === "publish" || call === "reply" ? { ...received, text: textOf({ body: read.body, path }) } : received
  }

  const apply = (entries: ReadonlyArray<Entry>) => {
    for (const entry of entries) state.apply(entry)
  }

  return {
    state,
    receive,
    apply,
    /** Answers a request from a state, under a fault. The caller must apply the returned entries. */
    meet: (
      { endpoint, read }: Pick<ReceivedRequest, "endpoint" | "read">,
      more: { readonly now: number; readonly fresh: FreshTokens; readonly fault?: Fault | undefined },
      by: State = state
    ): Outcome => {
      const { fault, ...given } = more
      const { entries, response } = meet(endpoint, errorFormat, fault, { ...read, ...given }, by)
      if (typeof response === "string") return { entries, response }
      const date = new Date(more.now).toUTCString()
      return { entries, response: { ...response, headers: { date, ...response.headers } } }
    },
    /** Grants access to an account, which is created if necessary. */
    grant: (id: string, now: number, fresh: FreshTokens): Grant => {
      if (state.account(platform, id) === undefined)
        apply([SandboxAccount.make({ platform, ...account(id), id, displayName: "Team" })])
      return tokens.issue({ id }, { now, fresh })
    },
    credentials: standIn.credentials
  }
}
