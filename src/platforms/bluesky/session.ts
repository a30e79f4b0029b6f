import { Option, Schema } from "effect"
import { readResponse } from "../call.ts"
import { credentialsCodec } from "../credentials.ts"
import { Token } from "../syntax.ts"
import { Did, isDomainName } from "./syntax.ts"

export const BlueskySession = Schema.Struct({
  accessJwt: Schema.NonEmptyString,
  refreshJwt: Schema.NonEmptyString,
  /** Null if the PDS itself creates the sessions. */
  pdsUrl: Schema.NullOr(Schema.String),
  /** True if an API request named the service, not the operator. It has to be public then. */
  guarded: Schema.optionalKey(Schema.Boolean)
})
export type BlueskySession = typeof BlueskySession.Type

export const {
  decode: decodeSession,
  encode: encodeSession,
  read: readStoredSession
} = credentialsCodec("Bluesky", BlueskySession)

const SessionResponse = Schema.Struct({
  accessJwt: Token,
  refreshJwt: Token,
  did: Did,
  /** Checked later, so that an invalid handle does not make the whole session unreadable. */
  handle: Schema.optionalKey(Schema.Unknown),
  /** False for a closed account; absent from older services. */
  active: Schema.optionalKey(Schema.Unknown),
  didDoc: Schema.optionalKey(Schema.Unknown)
})
export type SessionResponse = typeof SessionResponse.Type

export const readSession = readResponse(SessionResponse)

const decodeDidDocument = Schema.decodeUnknownOption(
  Schema.Struct({ service: Schema.Array(Schema.Struct({ id: Schema.String, serviceEndpoint: Schema.Unknown })) })
)

/**
 * The PDS's origin. Null if the DID document names the service itself, or a host that must not get tokens. The owner of
 * the account writes the DID document, so it must not be able to point into this network (SSRF).
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

export const sessionFrom = (response: SessionResponse, serviceUrl: string, guarded = false): BlueskySession => ({
  accessJwt: response.accessJwt,
  refreshJwt: response.refreshJwt,
  pdsUrl: pdsUrl(response.didDoc, serviceUrl),
  ...(guarded ? { guarded } : {})
})
