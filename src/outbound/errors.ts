import { Data, Duration, Predicate } from "effect"

/** No request was sent. `message` can be shown to people, and reveals nothing about this network. */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{ readonly message: string }> {
  /** Marks the error as a connection error: nothing was sent. */
  readonly syscall = "connect"
}

/** No complete response. The same request can succeed later. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly message: string }> {}

/** A repetition would be redirected again. */
export class TooManyRedirects extends Data.TaggedError("TooManyRedirects")<{ readonly message: string }> {}

export class ResponseTooLong extends Data.TaggedError("ResponseTooLong")<{
  readonly message: string
  readonly maxBytes: number
}> {}

export type OutboundError = AddressRefused | Unreachable | TooManyRedirects | ResponseTooLong

export const refusalIn = (cause: unknown): AddressRefused | undefined => {
  if (cause instanceof AddressRefused) return cause
  return Predicate.hasProperty(cause, "cause") ? refusalIn(cause.cause) : undefined
}

const errorCode = (cause: unknown): string | undefined => {
  if (Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)) return cause.code
  return Predicate.hasProperty(cause, "cause") ? errorCode(cause.cause) : undefined
}

const certificate = "its certificate can't be trusted"

const explanations: ReadonlyMap<string | undefined, string> = new Map([
  ["ECONNREFUSED", "it refuses connections"],
  ["ECONNRESET", "the connection was cut"],
  ["EPIPE", "the connection was cut"],
  ["UND_ERR_SOCKET", "the connection was cut"],
  ["ENOTFOUND", "its name has no address"],
  ["EAI_AGAIN", "its name could not be looked up"],
  ["ETIMEDOUT", "it does not answer"],
  ["UND_ERR_CONNECT_TIMEOUT", "it does not answer"],
  ["EHOSTUNREACH", "there is no route to it"],
  ["ENETUNREACH", "there is no route to it"],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", certificate],
  ["SELF_SIGNED_CERT_IN_CHAIN", certificate],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", certificate],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", certificate]
])

export const explainFailure = (cause: unknown): string => {
  const code = errorCode(cause)
  const words = explanations.get(code)
  if (words !== undefined) return `: ${words}`
  return code === undefined ? "" : ` (${code})`
}

export const lost = (host: string, cause: unknown): OutboundError => {
  const refusal = refusalIn(cause)
  if (refusal !== undefined) return refusal
  return new Unreachable({ message: `${host} could not be reached${explainFailure(cause)}` })
}

export const timedOut = (host: string, timeout: Duration.Duration) =>
  new Unreachable({ message: `${host} did not answer within ${Duration.toSeconds(timeout)} seconds` })
