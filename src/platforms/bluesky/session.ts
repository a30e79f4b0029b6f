import { Effect, Option, Redacted, Schema } from "effect"
import { NeedsReauthorization } from "../../domain/platformError.ts"

/** What is stored of a session with a PDS. The password is not. */
export const BlueskySession = Schema.Struct({
  accessJwt: Schema.NonEmptyString,
  refreshJwt: Schema.NonEmptyString,
  /** The host that keeps the account, where the service that sessions are made with is another. */
  pdsUrl: Schema.NullOr(Schema.String)
})
export type BlueskySession = typeof BlueskySession.Type

const Stored = Schema.fromJsonString(BlueskySession)
const decodeStored = Schema.decodeUnknownOption(Stored)
const encodeStored = Schema.encodeSync(Stored)

/** Makes a session into the credentials to store. */
export const encodeSession = (session: BlueskySession): Redacted.Redacted => Redacted.make(encodeStored(session))

/** Reads stored credentials. */
export const decodeSession = (credentials: Redacted.Redacted): Effect.Effect<BlueskySession, NeedsReauthorization> =>
  Effect.mapError(
    Effect.fromOption(decodeStored(Redacted.value(credentials))),
    () => new NeedsReauthorization({ message: "This Bluesky account's stored access can't be read; connect it again" })
  )

/** What createSession and refreshSession answer, as far as it is used. */
export const SessionResponse = Schema.Struct({
  accessJwt: Schema.NonEmptyString,
  refreshJwt: Schema.NonEmptyString,
  did: Schema.NonEmptyString,
  handle: Schema.String,
  didDoc: Schema.optionalKey(Schema.Unknown)
})
export type SessionResponse = typeof SessionResponse.Type

const decodeDidDocument = Schema.decodeUnknownOption(
  Schema.Struct({
    service: Schema.Array(Schema.Struct({ id: Schema.String, serviceEndpoint: Schema.Unknown }))
  })
)

/** Neither an address nor a name without a dot. */
const isDomainName = (hostname: string): boolean => /\.[^.]*[a-z][^.]*$/.test(hostname)

/**
 * The PDS that an account's DID document names; null where it is the service itself or nothing to send tokens to. Whoever
 * owns the account writes that document, so a service elsewhere can't have it lead to a bare address of this network.
 */
const pdsUrl = (didDocument: unknown, serviceUrl: string): string | null => {
  const services = Option.match(decodeDidDocument(didDocument), {
    onNone: () => [],
    onSome: (document) => document.service
  })
  const endpoint = services.find((service) => service.id.endsWith("#atproto_pds"))?.serviceEndpoint
  const url = typeof endpoint === "string" ? URL.parse(endpoint) : null
  const service = URL.parse(serviceUrl)
  const safe =
    url !== null &&
    (service?.protocol === "http:"
      ? /^https?:$/.test(url.protocol)
      : url.protocol === "https:" && isDomainName(url.hostname))
  return safe && url.origin !== service?.origin ? url.origin : null
}

/** The session to store after a service has answered. */
export const sessionFrom = (answer: SessionResponse, serviceUrl: string): BlueskySession => ({
  accessJwt: answer.accessJwt,
  refreshJwt: answer.refreshJwt,
  pdsUrl: pdsUrl(answer.didDoc, serviceUrl)
})
