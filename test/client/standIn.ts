import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { OpenApi } from "effect/http-api"
import { vi } from "vitest"
import { type Document, forKeys, readOperations, tableOf } from "../../.deploy/client/operations.ts"
import { Api } from "../../src/api/Api.ts"
import type { Answer, Pages } from "../../src/client/answers.ts"
import type { ClientOptions, Revised } from "../../src/client/options.ts"
import { TableClient } from "../../src/client/SocialPublisher.ts"
import type { MediaSteps, PostSteps } from "../../src/client/steps.ts"

/** The operations as the build reads them. */
export const documented: Document = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))
const document = forKeys(documented)
export const table = tableOf(readOperations(document))

type Options = Readonly<Record<string, unknown>>

interface PostMethods extends PostSteps {
  readonly list: (query?: Options, options?: Options) => Pages<{ readonly id: string }, Options>
  readonly create: (body: unknown, options?: Options) => Answer<{ readonly id: string }>
  readonly validate: (body: unknown, options?: Options) => Answer<unknown>
  readonly get: (id: string, options?: Options) => Answer<Revised>
  readonly update: (id: string, body: unknown, options?: Options) => Answer<Revised>
}

/** Those methods that tests call, whose types the package has from its build. */
interface TestClient {
  readonly posts: PostMethods
  readonly notifications: Pick<PostMethods, "list">
  readonly media: MediaSteps
  readonly mediaContent: { readonly get: (id: string, options?: Options) => Answer<Response> }
  readonly webhooks: { readonly create: (body: unknown, options?: Options) => Answer<unknown> }
  readonly approvals: { readonly resolveTarget: (id: string, platform: string, body: unknown) => Answer<unknown> }
}

/** A client that notes how long it waits in place of waiting. */
export const makeTestClient = (options: Partial<ClientOptions> & Pick<ClientOptions, "baseUrl">) => {
  const waits: Array<number> = []
  let time = Date.parse("2030-01-01T00:00:00Z")
  const environment = {
    now: () => time,
    random: () => 1,
    sleep: async (milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted()
      waits.push(milliseconds)
      time += milliseconds
    }
  }
  const client = new TableClient(table, { apiKey: "sps_a-key", environment, ...options })
  return { client: client as unknown as TestClient, waits }
}

/** Lets no timeout end by itself, however long an answer takes on a busy machine: a test says how much time passes. */
export const holdTimeouts = () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  return {
    pass: (milliseconds: number) => {
      vi.advanceTimersByTime(milliseconds)
    },
    [Symbol.dispose]: () => {
      vi.useRealTimers()
    }
  }
}

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** What the stand-in does with a request: a response, or the loss of the connection. */
export type Reaction =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | "lose"
  | "hang"

const readBody = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("latin1")
}

/** Reacts to each request in turn, and to further ones as to the last. */
export const startStandIn = async (...reactions: ReadonlyArray<Reaction>) => {
  const received: Array<Received> = []
  const react = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request)
    received.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body })
    const reaction = reactions[Math.min(received.length, reactions.length) - 1] ?? "lose"
    if (reaction === "lose") request.socket.destroy()
    else if (reaction !== "hang") {
      const { body: content, headers = {}, status } = reaction
      const isText = typeof content === "string"
      response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers })
      response.end(isText ? content : JSON.stringify(content))
    }
  }
  const server: Server = createServer((request, response) => void react(request, response))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** Waits until so many requests have come. */
    reached: async (count: number) => {
      while (received.length < count) await new Promise((resolve) => void setImmediate(resolve))
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

export const problem = (status: number, code: string, more: Options = {}): Exclude<Reaction, string> => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: { type: `urn:social-publisher:problem:${code}`, title: "A problem", detail: "It failed", status, code, ...more }
})

/** What a call fails with. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error("It succeeded")
    },
    (error: unknown) => error
  )
