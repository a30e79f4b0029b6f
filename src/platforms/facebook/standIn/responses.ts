import type { StandInResponse } from "../../../sandbox/endpoint.ts"
import type { ErrorFormat } from "../../../sandbox/outcome.ts"

interface Refusal {
  readonly code: number
  readonly subcode?: number
}

/** The names of errors that the endpoints and ordered faults use. */
const refusals: Readonly<Record<string, Refusal>> = {
  "bad parameter": { code: 100 },
  "not visible": { code: 100, subcode: 33 },
  "bad file": { code: 6000 },
  "wrong offset": { code: 6000, subcode: 1363037 },
  "partial file": { code: 6000, subcode: 1363033 },
  "bad link": { code: 1500 },
  "large photo": { code: 1, subcode: 1366046 },
  "token expired": { code: 190, subcode: 463 },
  "token refused": { code: 190 },
  "password changed": { code: 190, subcode: 460 },
  "role lost": { code: 190, subcode: 492 },
  "no permission": { code: 200 },
  unused: { code: 10 },
  "too many requests": { code: 32 },
  "unknown error": { code: 2 },
  blocked: { code: 368 },
  duplicate: { code: 506 },
  "same photos": { code: 1, subcode: 1366051 }
}

const usual: Readonly<Record<number, string>> = {
  400: "bad parameter",
  401: "token refused",
  403: "blocked",
  404: "not visible",
  409: "duplicate",
  429: "too many requests",
  // Posts were out although Facebook answered with this.
  500: "unknown error",
  503: "unknown error"
}

const usage = {
  "x-app-usage": JSON.stringify({ call_count: 3, total_cputime: 1, total_time: 2 }),
  "x-business-use-case-usage": JSON.stringify({
    "104512345678900": [
      { type: "pages", call_count: 5, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 0 }
    ]
  })
}

export const respond = (status: number, body: object): StandInResponse => ({ status, body, headers: usage })

/** Meta answers almost every error with a 400, whatever its cause. */
export const facebookError = (
  status: number,
  name = usual[status] ?? "unknown error",
  message = name,
  data?: object
): StandInResponse => {
  const { code, subcode } = refusals[name] ?? { code: 1 }
  return respond(status, {
    error: {
      message,
      type: "OAuthException",
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      ...(data === undefined ? {} : { error_data: data }),
      is_transient: status >= 500,
      fbtrace_id: "AQx5tVtX0mQvY9JmZtYB1rA"
    }
  })
}

export const facebookErrorFormat: ErrorFormat = { error: facebookError, resetHeaders: () => ({}) }
