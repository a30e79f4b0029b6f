import { Context, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpServerRequest } from "effect/http"

/** The id that a request is logged under and answered with. */
export const RequestId = Context.Reference<string>("social-publisher/http/RequestId", { defaultValue: () => "none" })

const sane = /^[\w.:-]{1,128}$/

/** The id that the caller gave in X-Request-Id, if it is a short plain word, or else a new one. */
export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  Effect.sync(() => {
    const given = request.headers["x-request-id"]
    return given !== undefined && sane.test(given) ? given : SecureRandom.uuidV4Unsafe()
  })
