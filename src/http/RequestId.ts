import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"
import { randomUUID } from "node:crypto"

/** The id of the current request, in its log lines and in its response. */
export const RequestId = Context.Reference<string>("social-publisher/http/RequestId", { defaultValue: () => "none" })

const acceptedId = /^[\w.:-]{1,128}$/

/**
 * The caller's X-Request-Id if it is a short plain word, otherwise a random id: by Node, which draws random bytes for many at
 * once.
 */
export const chooseRequestId = ({ headers }: HttpServerRequest.HttpServerRequest): string => {
  const id = headers["x-request-id"]
  return id !== undefined && acceptedId.test(id) ? id : randomUUID()
}
