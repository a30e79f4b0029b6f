import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
  type ServerResponse
} from "node:http"
import { buffer } from "node:stream/consumers"
import { Deferred, Effect, FiberSet, Queue } from "effect"

/**
 * The point at which a connection is cut. In all but the first two cases the server eventually carries out the request.
 */
export const cuts = [
  /** The relay receives the request and does not forward it. */
  "before the server",
  /** The server receives half of the body, or the whole request if it has no body. */
  "within the request",
  /** The server has responded; the client receives nothing. */
  "before the response",
  /** The client receives half of the response. */
  "within the response",
  /** The server has responded, but the client receives a 502, as from a gateway that timed out. */
  "by a gateway",
  /** The client is cut off immediately. The request reaches the server when the test delivers it. */
  "while delayed"
] as const
export type Cut = (typeof cuts)[number]

interface UpstreamResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A request that the relay received. */
export interface RelayedRequest {
  /** The last segment of its path, which is the XRPC method. */
  readonly method: string
  readonly cut: Cut | undefined
  /** The server's response, or undefined if it was not reached. */
  readonly response: UpstreamResponse | undefined
}

export interface CuttingRelay {
  readonly url: string
  /** Sets the rule that decides if each later request is cut. */
  readonly rule: (decide: (method: string, body: string) => Cut | undefined) => Effect.Effect<void>
  /** Cuts the next requests of a method, in this order. Takes precedence over the rule. */
  readonly cutNext: (method: string, ...cuts: ReadonlyArray<Cut>) => Effect.Effect<void>
  /** Holds the next request of a method until it is released. */
  readonly hold: (method: string) => Effect.Effect<HeldRequest>
  /** The requests so far. */
  readonly passed: Effect.Effect<ReadonlyArray<RelayedRequest>>
  /** Forwards the delayed requests, and returns the status of each response. */
  readonly deliverDelayed: Effect.Effect<ReadonlyArray<number | undefined>>
}

/** A request that the relay delays. */
export interface HeldRequest {
  readonly arrived: Effect.Effect<void>
  readonly letGo: Effect.Effect<void>
}

interface Message {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const gateway = { status: 502, headers: { "content-type": "text/html" }, body: Buffer.from("<h1>Bad gateway</h1>") }

const begin = (target: string, { headers, method, url }: Message) =>
  send(new URL(url ?? "/", target), { method, headers, agent: false })

/** Returns undefined if the server is unreachable. */
const forward = (target: string, message: Message): Effect.Effect<UpstreamResponse | undefined> =>
  Effect.callback((resume) => {
    const unreachable = () => resume(Effect.undefined)
    begin(target, message)
      .on("response", (response) => {
        void buffer(response).then(
          (body) => resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body })),
          unreachable
        )
      })
      .on("error", unreachable)
      .end(message.body)
  })

const forwardHalf = (target: string, message: Message): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const outgoing = begin(target, message).on("error", () => resume(Effect.void))
    outgoing.write(message.body.subarray(0, message.body.length / 2), () => {
      outgoing.destroy()
      resume(Effect.void)
    })
  })

const cutOff = (response: ServerResponse) => Effect.sync(() => void response.socket?.resetAndDestroy())

const reply = (response: ServerResponse, { body, headers, status }: UpstreamResponse) =>
  Effect.sync(() => void response.writeHead(status, headers).end(body))

const replyHalf = (response: ServerResponse, { body, headers, status }: UpstreamResponse): Effect.Effect<void> =>
  Effect.callback((resume) => {
    response.writeHead(status, headers).write(body.subarray(0, body.length / 2), () => {
      response.socket?.destroy()
      resume(Effect.void)
    })
  })

/** A relay on loopback that forwards HTTP requests to `target` and cuts connections as told. */
export const cuttingRelay = Effect.fn("cuttingRelay")(function* (target: string) {
  const passed: Array<RelayedRequest> = []
  const delayed = yield* Queue.unbounded<Message>()
  const ordered = new Map<string, Array<Cut>>()
  const held = new Map<string, { readonly arrived: Deferred.Deferred<void>; readonly letGo: Deferred.Deferred<void> }>()
  let decide: (method: string, body: string) => Cut | undefined = () => undefined

  const pass = (method: string, cut: Cut | undefined, message: Message, response: ServerResponse) => {
    // Recorded before the client gets a response, so that a test that then reads `passed` finds the request.
    const record = (upstream?: UpstreamResponse) =>
      Effect.sync(() => void passed.push({ method, cut, response: upstream }))
    const forwardThen = (then: (upstream: UpstreamResponse) => Effect.Effect<void>) =>
      Effect.flatMap(forward(target, message), (upstream) =>
        Effect.andThen(record(upstream), upstream === undefined ? cutOff(response) : then(upstream))
      )
    switch (cut) {
      case undefined:
        return forwardThen((upstream) => reply(response, upstream))
      case "before the server":
        return Effect.andThen(record(), cutOff(response))
      case "within the request":
        return Effect.andThen(Effect.andThen(forwardHalf(target, message), record()), cutOff(response))
      case "before the response":
        return forwardThen(() => cutOff(response))
      case "within the response":
        return forwardThen((upstream) => replyHalf(response, upstream))
      case "by a gateway":
        return forwardThen(() => reply(response, gateway))
      case "while delayed":
        return Effect.andThen(Effect.andThen(Queue.offer(delayed, message), record()), cutOff(response))
    }
  }

  const relay = Effect.fnUntraced(function* (request: IncomingMessage, response: ServerResponse) {
    const method = request.url?.split("?")[0]?.split("/").at(-1) ?? ""
    const body = yield* Effect.promise(() => buffer(request))
    const cut = ordered.get(method)?.shift() ?? decide(method, body.toString())
    const stopped = held.get(method)
    if (stopped !== undefined) {
      held.delete(method)
      yield* Deferred.succeed(stopped.arrived, undefined)
      yield* Deferred.await(stopped.letGo)
    }
    const message = { method: request.method, url: request.url, headers: request.headers, body }
    yield* pass(method, cut, message, response)
  })

  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const listening = createServer((request, response) => void run(relay(request, response)))
      listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
    }),
    (listening) =>
      Effect.callback<void>((resume) => {
        listening.close(() => resume(Effect.void))
        listening.closeAllConnections()
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0

  return {
    url: `http://127.0.0.1:${port}`,
    rule: (rule) =>
      Effect.sync(() => {
        decide = rule
      }),
    cutNext: (method, ...next) =>
      Effect.sync(() => void ordered.set(method, [...(ordered.get(method) ?? []), ...next])),
    hold: (method) =>
      Effect.gen(function* () {
        const stop = { arrived: yield* Deferred.make<void>(), letGo: yield* Deferred.make<void>() }
        held.set(method, stop)
        return { arrived: Deferred.await(stop.arrived), letGo: Effect.asVoid(Deferred.succeed(stop.letGo, undefined)) }
      }),
    passed: Effect.sync(() => [...passed]),
    deliverDelayed: Effect.flatMap(Queue.clear(delayed), (messages) =>
      Effect.forEach(messages, (message) => Effect.map(forward(target, message), (response) => response?.status))
    )
  } satisfies CuttingRelay
})
