import { Effect, Queue, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** A request as a receiver gets it. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Respond = (response: ServerResponse, received: Received, request: IncomingMessage) => void

/** A receiver on a loopback port. It collects the requests, and responds with 204 unless told otherwise. */
export const makeReceiver = (
  respond: Respond = (response) => void response.writeHead(204).end()
): Effect.Effect<
  { readonly url: string; readonly received: Queue.Queue<Received>; readonly port: number },
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const received = yield* Queue.unbounded<Received>()
    const server = createServer((request, response) => {
      const chunks: Array<Uint8Array> = []
      response.on("error", () => undefined)
      request.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      request.on("end", () => {
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)])
        )
        const one = { headers, body: Buffer.concat(chunks).toString() }
        Queue.offerUnsafe(received, one)
        respond(response, one, request)
      })
    })
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    return { url: `http://127.0.0.1:${port}/hooks?token=a`, received, port }
  })
