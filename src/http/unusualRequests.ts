import type { Server } from "node:http"
import { answerWithProblem, endWithProblem } from "./rawProblem.ts"

const noProxy = { status: 405, code: "method_not_allowed", detail: "This service is no proxy", headers: { allow: "" } }

const unexpected = {
  status: 417,
  code: "expectation_failed",
  detail: "The header Expect may only say 100-continue"
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
