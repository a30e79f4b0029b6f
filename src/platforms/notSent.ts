import { Predicate } from "effect"

/** What fails before a request has left: the name, the connection, or the certificate. */
const beforeSending = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])
const connecting = new Set(["connect", "getaddrinfo"])

/** Node's word for what went wrong, such as ECONNREFUSED. */
export const failureCode = (cause: unknown): string | undefined => {
  if (Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)) return cause.code
  return Predicate.hasProperty(cause, "cause") ? failureCode(cause.cause) : undefined
}

/**
 * Whether a transport failure is certain to have happened before anything was sent. Codes alone are not enough: a time-out
 * or an unreachable host can also end a connection that has carried the request.
 */
export const isNotSent = (cause: unknown): boolean => {
  if (Predicate.hasProperty(cause, "errors") && Array.isArray(cause.errors)) {
    return cause.errors.length > 0 && cause.errors.every(isNotSent)
  }
  if (Predicate.hasProperty(cause, "syscall") && Predicate.isString(cause.syscall)) return connecting.has(cause.syscall)
  if (Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)) return beforeSending.has(cause.code)
  return Predicate.hasProperty(cause, "cause") && isNotSent(cause.cause)
}
