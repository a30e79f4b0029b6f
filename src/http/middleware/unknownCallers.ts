import { Context, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Problem from "../../api/problems.ts"
import { counted } from "../../domain/counted.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { fail } from "../problems.ts"
import { retryAfter } from "../responseHeaders.ts"

/** Requests without a key or session. No workspace's limit counts them. */
export const maxUnknownPerMinute = 300

const detail = `An address may send ${counted(maxUnknownPerMinute, "request")} a minute without an API key or session`

export class UnknownCallers extends Context.Service<
  UnknownCallers,
  {
    /** Counts a request by its address. Beyond the limit, counts nothing, and fails unless the caller is known. */
    readonly count: (
      request: HttpServerRequest.HttpServerRequest,
      isKnown?: Effect.Effect<boolean>
    ) => Effect.Effect<void, Problem.RateLimited>
  }
>()("social-publisher/http/UnknownCallers") {}

export const unknownCallersLayer = Layer.sync(UnknownCallers, () => {
  const requests = makeAddressLimit({ perMinute: maxUnknownPerMinute })
  return UnknownCallers.of({
    count: (request, isKnown = Effect.succeed(false)) =>
      Effect.flatMap(
        requests.wait(request),
        Option.match({
          onNone: () => requests.count(request),
          onSome: (wait) =>
            Effect.flatMap(isKnown, (known) =>
              known ? Effect.void : Effect.andThen(retryAfter(wait), fail(Problem.RateLimited, { detail }))
            )
        })
      )
  })
})
