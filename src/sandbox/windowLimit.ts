import type { RespondTo, StandInResponse } from "./endpoint.ts"

export interface LimitStatus {
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. */
  readonly reset: number
}

/** A fixed window per account, which starts with its first request. */
export interface WindowLimit {
  readonly limit: number
  readonly windowMillis: number
  /** The cost of each request. */
  readonly points: number
  readonly headers: (status: LimitStatus) => Readonly<Record<string, string>>
  readonly refusal: StandInResponse
}

export const limited = (
  { headers, limit, points, refusal, windowMillis }: WindowLimit,
  respond: RespondTo
): RespondTo => {
  const windows = new Map<string, { readonly ends: number; used: number }>()
  return (account, request, state) => {
    const open = windows.get(account.id)
    const window = open === undefined || request.now >= open.ends ? { ends: request.now + windowMillis, used: 0 } : open
    windows.set(account.id, window)
    const isAllowed = window.used + points <= limit
    if (isAllowed) window.used += points
    const status = { limit, remaining: Math.max(0, limit - window.used), reset: Math.ceil(window.ends / 1000) }
    const response = isAllowed ? respond(account, request, state) : refusal
    return { ...response, headers: { ...response.headers, ...headers(status) } }
  }
}
