import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** A server on a loopback port that counts the requests that reach it. */
export const innerServer = (respond: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly requests: () => number; readonly close: () => void }>(
      (resume) => {
        let requests = 0
        const server = createServer((request, response) => {
          requests++
          response.on("error", () => undefined)
          respond(request, response)
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          const close = () => {
            server.closeAllConnections()
            server.close()
          }
          resume(Effect.succeed({ port, requests: () => requests, close }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )
