import { HttpServerResponse } from "effect/http"
import type { Issue } from "../../../domain/errors.ts"
import type { ErrorFormat } from "../../../sandbox/standInRoute.ts"
import type { LimitStatus } from "../../../sandbox/windowLimit.ts"

const titles: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  402: "CreditsDepleted",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
}

/** A spending cap has the type of spent credits. */
const creditTitles = new Set(["CreditsDepleted", "SpendCapReached"])

const problems = "https://api.twitter.com/2/problems"

export const twitterError = (status: number, title = titles[status] ?? "Error", detail = title) =>
  HttpServerResponse.jsonUnsafe(
    {
      title,
      detail,
      type: creditTitles.has(title) ? `${problems}/credits` : "about:blank",
      status
    },
    { status, contentType: "application/problem+json" }
  )

export const twitterInvalidRequest = (issues: ReadonlyArray<Issue>) =>
  HttpServerResponse.jsonUnsafe(
    {
      errors: issues.map(({ message, path }) => ({ parameters: {}, message: `$.${path.join(".")}: ${message}` })),
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: `${problems}/invalid-request`
    },
    { status: 400, contentType: "application/problem+json" }
  )

/** Third parties report the words and the code; X documents neither. */
export const twitterParentUnseen = () => {
  const detail = "You attempted to reply to a Tweet that is deleted or not visible to you."
  return HttpServerResponse.jsonUnsafe(
    { errors: [{ code: 385, message: detail }], title: "Forbidden", detail, type: "about:blank", status: 403 },
    { status: 403, contentType: "application/problem+json" }
  )
}

/** In words that third parties report. */
export const twitterReplyForbidden = () =>
  HttpServerResponse.jsonUnsafe(
    {
      title: "Forbidden",
      detail: "You can only reply to or quote posts where you are mentioned or are the author.",
      type: "https://api.x.com/2/problems/not-authorized-for-resource",
      status: 403
    },
    { status: 403, contentType: "application/problem+json" }
  )

export const twitterLimitHeaders = ({ limit, remaining, reset }: Omit<LimitStatus, "allowed">) => ({
  "x-rate-limit-limit": String(limit),
  "x-rate-limit-remaining": String(remaining),
  "x-rate-limit-reset": String(reset)
})

export const twitterErrorFormat: ErrorFormat = {
  error: twitterError,
  resetHeaders: (reset) => twitterLimitHeaders({ limit: 100, remaining: 0, reset })
}
