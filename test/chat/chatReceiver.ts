import { Effect, Queue, type Scope } from "effect"
import { createServer, type ServerResponse } from "node:http"

/** A request as a chat program gets it. */
export interface ReceivedMessage {
  readonly path: string
  readonly body: string
}

export type Answer =
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection ends after the body has arrived, without an answer. */
  | "cut"
  /** No answer. */
  | "hang"

const send = (response: ServerResponse, answer: Answer) => {
  if (answer === "hang") return
  if (answer === "cut") response.destroy()
  else response.writeHead(answer.status, answer.headers).end(answer.body ?? "")
}

/** A stand-in for Slack, Discord or Mattermost on a loopback port. It collects the messages, and answers with 200. */
export const makeChatReceiver = (
  answerTo: (message: ReceivedMessage) => Answer = () => ({ status: 200, body: "ok" })
): Effect.Effect<{ readonly origin: string; readonly received: Queue.Queue<ReceivedMessage> }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received = yield* Queue.unbounded<ReceivedMessage>()
    const server = createServer((request, response) => {
      const chunks: Array<Uint8Array> = []
      response.on("error", () => undefined)
      request.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      request.on("end", () => {
        const message = { path: request.url ?? "", body: Buffer.concat(chunks).toString() }
        Queue.offerUnsafe(received, message)
        send(response, answerTo(message))
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
    return { origin: `http://127.0.0.1:${port}`, received }
  })
