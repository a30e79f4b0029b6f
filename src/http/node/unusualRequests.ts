import type { Server } from "node:http"
import { ExpectationFailed, MethodNotAllowed } from "../../api/problems.ts"
import { answerWithProblem, endWithProblem, type RawProblem } from "./rawProblem.ts"

const noProxy: RawProblem = {
  make: (request_id) => new MethodNotAllowed({ detail: "This service is no proxy", request_id }),
  headers: { allow: "" }
}

const unexpected: RawProblem = {
  make: (request_id) => new ExpectationFailed({ detail: "The header Expect may only say 100-continue", request_id })
}

/** Answers with problems what Node keeps from the router: requests for a tunnel, and expectations that it does not know. */
export const answerUnusualRequests = (server: Server): void => {
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy())
    endWithProblem(socket, noProxy)
    socket.resume()
  })
  server.on("checkExpectation", (_request, response) => answerWithProblem(response, unexpected))
}
