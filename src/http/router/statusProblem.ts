import { Effect } from "effect"
import { HttpServerRespondable, HttpServerResponse } from "effect/http"
import * as Problem from "../../api/problems.ts"

const problemOf = (status: number, request_id: string) => {
  switch (status) {
    case 400:
      return new Problem.InvalidRequest({ detail: "The request could not be read", errors: [], request_id })
    case 404:
      return new Problem.NotFound({ detail: "There is nothing at this address; /docs lists what there is", request_id })
    case 405:
      return new Problem.MethodNotAllowed({ detail: "The header Allow lists the methods of this address", request_id })
    case 413:
      return new Problem.PayloadTooLarge({ detail: "A body may have 1 MiB at most", request_id })
    case 415:
      return new Problem.UnsupportedMediaType({ detail: "This address does not take a body of this type", request_id })
    case 503:
      return new Problem.Unavailable({ detail: "The service is not available right now", request_id })
    default:
      return status < 500
        ? undefined
        : new Problem.Internal({ detail: "The service failed; what happened was logged", request_id })
  }
}

const isSilent = ({ status, body }: HttpServerResponse.HttpServerResponse): boolean =>
  status >= 400 && (body._tag === "Empty" || body.contentType?.startsWith("text/plain") === true)

/** Turns an error answer that has no body to speak of into the problem that goes with its status. */
export const withStatusProblem = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const problem = isSilent(response) ? problemOf(response.status, requestId) : undefined
  return problem === undefined
    ? Effect.succeed(response)
    : Effect.map(HttpServerRespondable.toResponse(problem), (spoken) =>
        HttpServerResponse.setHeaders(spoken, { ...response.headers, ...spoken.headers })
      )
}
