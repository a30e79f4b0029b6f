import { authorizedBy, type Respond, type RespondTo, type StandInResponse } from "../../../sandbox/endpoint.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { ErrorFormat } from "../../../sandbox/outcome.ts"

interface Refusal {
  readonly code: number
  readonly subcode?: number
  readonly type?: string
}

/** The names of errors that the endpoints and ordered faults use. */
const refusals: Readonly<Record<string, Refusal>> = {
  "bad parameter": { code: 100 },
  "not visible": { code: 100, subcode: 33 },
  "bad file": { code: 36001, subcode: 2207005 },
  "long caption": { code: 36004, subcode: 2207010 },
  "many tags": { code: 100, subcode: 2207040 },
  "not found": { code: 24, subcode: 4279009 },
  "not ready": { code: 9007, subcode: 2207027 },
  "children not ready": { code: 24, subcode: 4279004 },
  "not fetched": { code: 9004, subcode: 2207052 },
  "token expired": { code: 190, subcode: 463 },
  "token refused": { code: 190 },
  "no permission": { code: 10, type: "THApiException" },
  "too many requests": { code: 4 },
  "daily limit": { code: 9, subcode: 2207042 },
  restricted: { code: 4, subcode: 2207051 },
  "role lost": { code: 190, subcode: 492 },
  "link limit": { code: 100, subcode: 4279053, type: "THREADS_API__LINK_LIMIT_EXCEEDED" },
  "unknown error": { code: 2 },
  blocked: { code: 25, subcode: 2207050 }
}

const usual: Readonly<Record<number, string>> = {
  400: "bad parameter",
  401: "token refused",
  403: "blocked",
  404: "not visible",
  429: "too many requests",
  // Posts were out although Meta answered with this.
  500: "no permission",
  503: "unknown error"
}

const usage = { "x-app-usage": JSON.stringify({ call_count: 3, total_cputime: 1, total_time: 2 }) }

export const respond = (status: number, body: object): StandInResponse => ({ status, body, headers: usage })

/** Meta answers almost every error with a 400, whatever its cause. */
export const metaError = (status: number, name = usual[status] ?? "unknown error", message = name): StandInResponse => {
  const { code, subcode, type = "OAuthException" } = refusals[name] ?? { code: 1 }
  return respond(status, {
    error: {
      message,
      type,
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      is_transient: status >= 500,
      fbtrace_id: "AQx5tVtX0mQvY9JmZtYB1rA"
    }
  })
}

export const makeAuthorized = (platform: LivePlatform) => {
  const byToken = authorizedBy(platform, (token) =>
    metaError(400, token === "expired" ? "token expired" : "token refused", "Error validating access token")
  )
  return (respondTo: RespondTo): Respond =>
    byToken((account, request, state) =>
      (account.closed ?? null) === null
        ? respondTo(account, request, state)
        : metaError(400, "blocked", "The account is restricted")
    )
}

export const metaErrorFormat: ErrorFormat = { error: metaError, resetHeaders: () => ({}) }
