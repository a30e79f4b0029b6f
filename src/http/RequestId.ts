import { Context } from "effect"
import { randomUUID } from "node:crypto"
import { redactSecrets } from "../domain/redactSecrets.ts"

export const RequestId = Context.Reference<string>("social-publisher/http/RequestId", { defaultValue: () => "none" })

/** Names are in lower case. */
type RequestHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const acceptedId = /^[\w.-]{1,64}$/

/** Hexadecimal ids and ULIDs from proxies and tracers: they are as long as a secret, but not secret. */
const madeId = /^(?:[\da-f-]+|[\dA-HJKMNP-TV-Z]{26})$/i

/**
 * Returns the caller's X-Request-Id if it is a short plain word. A word like a key is refused, because log lines
 * contain the id. Otherwise Node makes a random id; it draws many random bytes at once.
 */
export const chooseRequestId = (headers: RequestHeaders): string => {
  const id = headers["x-request-id"]
  return typeof id === "string" && acceptedId.test(id) && (madeId.test(id) || redactSecrets(id) === id)
    ? id
    : randomUUID()
}
