import { Duration } from "effect"
import type { Issue } from "../../../domain/errors.ts"
import { authorizedBy, type RespondTo, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { ErrorFormat } from "../../../sandbox/outcome.ts"
import type { StandInMemory } from "../../../sandbox/StandIn.ts"
import { limited, type LimitStatus } from "../../../sandbox/windowLimit.ts"

const titles: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  402: "CreditsDepleted",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
}

/** The titles of problems of the type `credits`, which X uses for a reached spending cap too. */
const creditTitles = new Set(["CreditsDepleted", "SpendCapReached"])

const problems = "https://api.twitter.com/2/problems"

const problem = (status: number, body: object): StandInResponse => ({
  status,
  body,
  headers: { "content-type": "application/problem+json" }
})

export const twitterError = (status: number, title = titles[status] ?? "Error", detail = title) =>
  problem(status, {
    title,
    detail,
    type: creditTitles.has(title) ? `${problems}/credits` : "about:blank",
    status
  })

export const twitterInvalidRequest = (issues: ReadonlyArray<Issue>) =>
  problem(400, {
    errors: issues.map(({ message, path }) => ({ parameters: {}, message: `$.${path.join(".")}: ${message}` })),
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: `${problems}/invalid-request`
  })

/** Third parties report the words and the code; X documents neither. */
export const twitterParentUnseen = () => {
  const detail = "You attempted to reply to a Tweet that is deleted or not visible to you."
  return problem(403, {
    errors: [{ code: 385, message: detail }],
    title: "Forbidden",
    detail,
    type: "about:blank",
    status: 403
  })
}

/** The words that third parties report. */
export const twitterReplyForbidden = () =>
  problem(403, {
    title: "Forbidden",
    detail: "You can only reply to or quote posts where you are mentioned or are the author.",
    type: "https://api.x.com/2/problems/not-authorized-for-resource",
    status: 403
  })

const limitHeaders = ({ limit, remaining, reset }: LimitStatus) => ({
  "x-rate-limit-limit": String(limit),
  "x-rate-limit-remaining": String(remaining),
  "x-rate-limit-reset": String(reset)
})

/** X's limits are per user and 15 minutes. */
export const perWindow = ({ limit }: Pick<StandInMemory, "limit">, requests: number, respond: RespondTo) =>
  limited(
    {
      limit: limit(requests),
      windowMillis: Duration.toMillis("15 minutes"),
      points: 1,
      headers: limitHeaders,
      refusal: twitterError(429)
    },
    respond
  )

const unauthorized = authorizedBy("twitter", () => {
  const { headers, ...response } = twitterError(401)
  return { ...response, headers: { ...headers, "www-authenticate": "Bearer" } }
})

export const authorized = (respond: RespondTo) =>
  unauthorized((account, request, state) =>
    (account.closed ?? null) === null
      ? respond(account, request, state)
      : twitterError(403, "Forbidden", "Your account is suspended.")
  )

export const twitterErrorFormat: ErrorFormat = {
  error: twitterError,
  resetHeaders: (reset) => limitHeaders({ limit: 100, remaining: 0, reset })
}
