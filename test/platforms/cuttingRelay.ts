import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
  type ServerResponse
} from "node:http"
import { buffer } from "node:stream/consumers"
import { Deferred, Effect, FiberSet, Queue } from "effect"

/** Where a connection is cut. All but the first two leave the request carried out, sooner or later. */
export const cuts = [
  /** The request has arrived, and goes no further. */
  "before the server",
  /** The server gets half of the request, or all of one without a body. */
  "within the request",
  /** The server has answered; nothing of that comes through. */
  "before the answer",
  /** Half of the answer comes through. */
  "within the answer",
  /** The server has answered, and the relay says 502 in its place, as a gateway does that lost patience. */
  "by a gateway",
  /** The caller is cut off at once; the request reaches the server when the test says so. */
  "while delayed"
] as const
export type Cut = (typeof cuts)[number]

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A request that came through. */
export interface Passed {
  /** The last part of its path: an XRPC method. */
  readonly method: string
  readonly cut: Cut | undefined
  /** The server's answer, where it was asked and did answer. */
  readonly answer: Answer | undefined
}

export interface CuttingRelay {
  readonly url: string
  /** Decides for every request from now on where it is cut. */
  readonly rule: (decide: (method: string, body: string) => Cut | undefined) => Effect.Effect<void>
  /** Cuts the next requests of a method, one after the other, and lets all others through. */
  readonly cutNext: (method: string, ...cuts: ReadonlyArray<Cut>) => Effect.Effect<void>
  /** Stops the next request of a method before the server, until the answer to this is let go. */
  readonly hold: (method: string) => Effect.Effect<Held>
  /** What has passed so far. */
  readonly passed: Effect.Effect<ReadonlyArray<Passed>>
  /** Brings the delayed requests to the server; answers with which status each was met. */
  readonly deliverDelayed: Effect.Effect<ReadonlyArray<number | undefined>>
}

/** A request that is stopped on its way. */
export interface Held {
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

/** Undefined where the server is away. */
const forward = (target: string, message: Message): Effect.Effect<Answer | undefined> =>
  Effect.callback((resume) => {
    const noAnswer = () => resume(Effect.undefined)
    begin(target, message)
      .on("response", (answer) => {
        void buffer(answer).then(
          (body) => resume(Effect.succeed({ status: answer.statusCode ?? 0, headers: answer.headers, body })),
          noAnswer
        )
      })
      .on("error", noAnswer)
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

const reply = (response: ServerResponse, { body, headers, status }: Answer) =>
  Effect.sync(() => void response.writeHead(status, headers).end(body))

const replyHalf = (response: ServerResponse, { body, headers, status }: Answer): Effect.Effect<void> =>
  Effect.callback((resume) => {
    response.writeHead(status, headers).write(body.subarray(0, body.length / 2), () => {
      response.socket?.destroy()
      resume(Effect.void)
    })
  })

/** A relay on loopback that passes HTTP requests on to `target` and cuts connections where it is told to. */
export const cuttingRelay = Effect.fn("cuttingRelay")(function* (target: string) {
  const passed: Array<Passed> = []
  const delayed = yield* Queue.unbounded<Message>()
  const ordered = new Map<string, Array<Cut>>()
  const held = new Map<string, { readonly arrived: Deferred.Deferred<void>; readonly letGo: Deferred.Deferred<void> }>()
  let decide: (method: string, body: string) => Cut | undefined = () => undefined

  const pass = (method: string, cut: Cut | undefined, message: Message, response: ServerResponse) => {
    // Noted before the caller hears of it, so that a caller that asks finds it.
    const note = (answer?: Answer) => Effect.sync(() => void passed.push({ method, cut, answer }))
    const askThen = (then: (answer: Answer) => Effect.Effect<void>) =>
      Effect.flatMap(forward(target, message), (answer) =>
        Effect.andThen(note(answer), answer === undefined ? cutOff(response) : then(answer))
      )
    switch (cut) {
      case undefined:
        return askThen((answer) => reply(response, answer))
      case "before the server":
        return Effect.andThen(note(), cutOff(response))
      case "within the request":
        return Effect.andThen(Effect.andThen(forwardHalf(target, message), note()), cutOff(response))
      case "before the answer":
        return askThen(() => cutOff(response))
      case "within the answer":
        return askThen((answer) => replyHalf(response, answer))
      case "by a gateway":
        return askThen(() => reply(response, gateway))
      case "while delayed":
        return Effect.andThen(Effect.andThen(Queue.offer(delayed, message), note()), cutOff(response))
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
      const made = createServer((request, response) => void run(relay(request, response)))
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.callback<void>((resume) => {
        made.close(() => resume(Effect.void))
        made.closeAllConnections()
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
      Effect.forEach(messages, (message) => Effect.map(forward(target, message), (answer) => answer?.status))
    )
  } satisfies CuttingRelay
})
