import { Schema } from "effect"

/**
 * The AT Protocol's identifiers, checked because anybody can run a service, and its values are stored, sent on, and put
 * into records.
 */

/** atproto.com/specs/did */
export const Did = Schema.String.check(
  Schema.isMaxLength(2048),
  Schema.isPattern(/^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/, { expected: "a DID" })
)

const handlePattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** atproto.com/specs/handle */
export const isHandle = (text: unknown): text is string =>
  typeof text === "string" && text.length <= 253 && handlePattern.test(text)

/** A name with a dot, and no IP address. */
export const isDomainName = (hostname: string): boolean => hostname.length <= 253 && /\.[^.]*[a-z][^.]*$/.test(hostname)

/** A CID of version 1 in base 32, with 59 characters for SHA-256. */
export const Cid = Schema.String.check(Schema.isPattern(/^b[a-z2-7]{8,255}$/, { expected: "a CID" }))

const isCid = Schema.is(Cid)

/** The CID, or null if the PDS sent an invalid one. */
export const knownCid = (cid: unknown): string | null => (isCid(cid) ? cid : null)

/** atproto.com/specs/at-uri-scheme */
export const RecordUri = Schema.String.check(
  Schema.isMaxLength(8192),
  Schema.isPattern(/^at:\/\/[a-zA-Z0-9._:%-]+\/[a-zA-Z0-9.-]+\/[a-zA-Z0-9._:~-]+$/, { expected: "the URI of a record" })
)

export const MimeType = Schema.String.check(
  Schema.isPattern(/^[\w.+-]{1,127}\/[\w.+-]{1,127}$/, { expected: "a media type" })
)
