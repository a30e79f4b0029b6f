import { type Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Limited, makeAttemptLimit } from "./attemptLimit.ts"
import { clientNetwork } from "./clientNetwork.ts"

type Request = HttpServerRequest.HttpServerRequest

const clientAddress = (request: Request): string =>
  Option.match(request.remoteAddress, { onNone: () => "unknown", onSome: clientNetwork })

/**
 * Limits failed authentication attempts of each client address. A limit per workspace is impossible, because a wrong
 * key or password names no workspace.
 */
export const makeAddressLimit = (options: { readonly perMinute: number }) => {
  const attempts = makeAttemptLimit(options)
  return {
    wait: (request: Request) => attempts.wait(() => clientAddress(request)),
    count: (request: Request) => attempts.count(clientAddress(request)),
    run: <A, E, R, B, E2, R2>(request: Request, attempt: Effect.Effect<A, E, R>, limited: Limited<A, E, B, E2, R2>) =>
      attempts.run(clientAddress(request), attempt, limited)
  }
}
