import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { makeAttemptLimit } from "./attemptLimit.ts"
import { clientNetwork } from "./clientNetwork.ts"

type Request = HttpServerRequest.HttpServerRequest

const clientAddress = (request: Request): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: clientNetwork })

/**
 * Counts failed authentication attempts per client address. They can't be counted per workspace: a wrong key or password
 * names none, and must not use up anybody else's limit.
 */
export const makeAddressLimit = (options: { readonly perMinute: number }) => {
  const attempts = makeAttemptLimit(options)
  return {
    /** How long a throttled address has to wait. */
    wait: (request: Request) => attempts.wait(() => clientAddress(request)),
    /** Counts a failed attempt. */
    count: (request: Request) => attempts.count(clientAddress(request)),
    /** Counts an attempt before it is known to have failed. Returns how to take it back if it did not. */
    reserve: (request: Request) => attempts.reserve(clientAddress(request))
  }
}
