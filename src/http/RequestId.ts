import { Context } from "effect"
import { randomUUID } from "node:crypto"
import { redactSecrets } from "../domain/redactSecrets.ts"

export const RequestId = Context.Reference<string>("social-publisher/http/RequestId", { defaultValue: () => "none" })

type RequestHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const acceptedId = /^[\w.-]{1,64}$/

/** The form of ids from proxies and tracers: hexadecimal or a ULID. They are as long as a secret, but not secret. */
const madeId = /^(?:[\da-f-]+|[\dA-HJKMNP-TV-Z]{26})$/i

/**
 * Returns the caller's X-Request-Id if it is one short plain word. A word that looks like a key is refused, because log
 * lines contain the id. Otherwise returns a random id from Node, which is fast because it draws many random bytes at
 * once.
 */
export const chooseRequestId = (headers: RequestHeaders): string => {
  const id = headers["x-request-id"]
  return typeof id === "string" && acceptedId.test(id) && (madeId.test(id) || redactSecrets(id) === id)
    ? id
    : randomUUID()
}
