import { Context } from "effect"
import { randomUUID } from "node:crypto"
import { redactSecrets } from "../domain/redactSecrets.ts"

/** The id of the current request, in its log lines and in its response. */
export const RequestId = Context.Reference<string>("social-publisher/http/RequestId", { defaultValue: () => "none" })

/** The headers of a request, in lower case: those of Effect or of Node. */
type RequestHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const acceptedId = /^[\w.-]{1,64}$/

/** Ids in hexadecimal and ULIDs, as proxies and tracers make them: they have the length of a secret, and are none of the service's. */
const madeId = /^(?:[\da-f-]+|[\dA-HJKMNP-TV-Z]{26})$/i

/**
 * The caller's X-Request-Id if it is a short plain word, otherwise a random id: by Node, which draws random bytes for many at
 * once. A word that looks like a key is none, because the id is in every log line of the request.
 */
export const chooseRequestId = (headers: RequestHeaders): string => {
  const id = headers["x-request-id"]
  return typeof id === "string" && acceptedId.test(id) && (madeId.test(id) || redactSecrets(id) === id)
    ? id
    : randomUUID()
}
