import { HttpServerResponse } from "effect/http"
import type { Fault } from "../state/faults.ts"
import type { BodyIssue } from "../strictBody.ts"
import type { LimitStanding } from "../windowLimit.ts"

const titles: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  402: "CreditsDepleted",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
}

/** An error as X words it. */
export const twitterProblem = (status: number, detail?: string, title?: string) =>
  HttpServerResponse.jsonUnsafe(
    {
      title: title ?? titles[status] ?? "Error",
      detail: detail ?? title ?? titles[status] ?? "Error",
      type: status === 402 ? "https://api.twitter.com/2/problems/credits" : "about:blank",
      status
    },
    { status, contentType: "application/problem+json" }
  )

/** The answer to a request that is not of the documented form. */
export const twitterInvalidRequest = (issues: ReadonlyArray<BodyIssue>) =>
  HttpServerResponse.jsonUnsafe(
    {
      errors: issues.map(({ message, path }) => ({ parameters: {}, message: `$.${path.join(".")}: ${message}` })),
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: "https://api.twitter.com/2/problems/invalid-request"
    },
    { status: 400, contentType: "application/problem+json" }
  )

/** The headers that tell how much of a limit is left. */
export const twitterLimitHeaders = (standing: LimitStanding) => ({
  "x-rate-limit-limit": String(standing.limit),
  "x-rate-limit-remaining": String(standing.remaining),
  "x-rate-limit-reset": String(standing.reset)
})

export const twitterFaultAnswer = (fault: Extract<Fault, { kind: "status" }>, now: number) => {
  const headers = {
    ...(fault.retry_after === undefined ? {} : { "retry-after": String(fault.retry_after) }),
    ...(fault.reset_after === undefined
      ? {}
      : {
          "x-rate-limit-limit": "100",
          "x-rate-limit-remaining": "0",
          "x-rate-limit-reset": String(Math.ceil(now / 1000) + fault.reset_after)
        })
  }
  const answer =
    fault.body === undefined
      ? twitterProblem(fault.status, fault.detail, fault.error)
      : HttpServerResponse.text(fault.body, { status: fault.status })
  return HttpServerResponse.setHeaders(answer, headers)
}
