import { Data, Duration, Predicate } from "effect"

/** A URL that nothing is sent to. `message` can be shown to whoever chose it, and says nothing about this network. */
export class AddressRefused extends Data.TaggedError("AddressRefused")<{
  readonly message: string
}> {
  /** As errors of connecting have it: nothing was sent. */
  readonly syscall = "connect"
}

/** No complete response. The same request can succeed later. */
export class Unreachable extends Data.TaggedError("Unreachable")<{
  readonly message: string
}> {}

/** The server redirects, and each further time as well. The same request would be redirected again. */
export class TooManyRedirects extends Data.TaggedError("TooManyRedirects")<{
  readonly message: string
}> {}

/** A response whose body is longer than the caller takes. */
export class ResponseTooLong extends Data.TaggedError("ResponseTooLong")<{
  readonly message: string
  readonly maxBytes: number
}> {}

export type OutboundError = AddressRefused | Unreachable | TooManyRedirects | ResponseTooLong

/** The refusal that caused an error of the HTTP client, if one did. */
export const refusalIn = (cause: unknown): AddressRefused | undefined => {
  if (cause instanceof AddressRefused) return cause
  return Predicate.hasProperty(cause, "cause") ? refusalIn(cause.cause) : undefined
}

/** Node's code of an error, such as ECONNREFUSED. */
export const errorCode = (cause: unknown): string | undefined => {
  if (Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)) return cause.code
  return Predicate.hasProperty(cause, "cause") ? errorCode(cause.cause) : undefined
}

/** What became of a request to a host that failed. */
export const lost = (host: string, cause: unknown): OutboundError => {
  const refusal = refusalIn(cause)
  if (refusal !== undefined) return refusal
  const code = errorCode(cause)
  return new Unreachable({ message: `${host} could not be reached${code === undefined ? "" : ` (${code})`}` })
}

export const timedOut = (host: string, timeout: Duration.Duration) =>
  new Unreachable({ message: `${host} did not answer within ${Duration.toSeconds(timeout)} seconds` })
