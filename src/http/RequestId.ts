import { Context } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpServerRequest } from "effect/http"

/** The id of the current request, in its log lines and in its response. */
export const RequestId = Context.Reference<string>("social-publisher/http/RequestId", { defaultValue: () => "none" })

const acceptedId = /^[\w.:-]{1,128}$/

/** The caller's X-Request-Id if it is a short plain word, otherwise a random id. */
export const chooseRequestId = ({ headers }: HttpServerRequest.HttpServerRequest): string => {
  const id = headers["x-request-id"]
  return id !== undefined && acceptedId.test(id) ? id : SecureRandom.uuidV4Unsafe()
}
