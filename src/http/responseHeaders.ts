import { Duration, Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

/** A wait in whole seconds, as headers have it. */
export const wholeSeconds = (wait: Duration.Duration): string =>
  String(Math.max(1, Math.ceil(Duration.toSeconds(wait))))

/** Adds headers to the answer, whatever it will be. */
export const addHeaders = (
  headers: Readonly<Record<string, string>>
): Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

/** Says in the answer after how long to come back. */
export const retryAfter = (wait: Duration.Duration) => addHeaders({ "retry-after": wholeSeconds(wait) })
