import { Duration, Schema } from "effect"
import { KeyLimit } from "../errors.ts"
import { ApiKeyId, WorkspaceId } from "../ids.ts"
import { powerfulScopes, scopes } from "../plain/access.ts"

export const Scope = Schema.Literals(scopes)
export type Scope = typeof Scope.Type

/** What a key is for, where that is known. It allows and refuses nothing. */
export const KeyPurpose = Schema.Literals(["agent"])
export type KeyPurpose = typeof KeyPurpose.Type

/** The scopes that a key can't have as it requires approval. */
export const excessiveScopes = (chosen: ReadonlyArray<Scope>, requiresApproval: boolean): ReadonlyArray<Scope> =>
  requiresApproval ? chosen.filter((scope) => powerfulScopes.includes(scope)) : []

/**
 * How many keys a workspace may have that have not ended, those that ended within a day of their creation included: what
 * is created and revoked over and over stays few, too.
 */
export const maxKeys = 1_000

export const tooManyKeys = new KeyLimit({
  message: `A workspace may have ${maxKeys} API keys, and create as many in a day; revoke those that are not needed any more`
})

/** How long a key that was rotated stays valid, by default and at most. */
export const defaultKeyOverlap = Duration.hours(24)
export const maxKeyOverlap = Duration.days(30)

/** Whether a key with these scopes may do what a scope covers. Before `posts:delete` existed, `posts:write` covered it. */
export const hasScope = (held: ReadonlyArray<Scope>, scope: Scope): boolean =>
  held.includes(scope) || (scope === "posts:delete" && held.includes("posts:write"))

/** The caller that an API key identifies. */
export const KeyHolder = Schema.Struct({
  keyId: ApiKeyId,
  workspaceId: WorkspaceId,
  scopes: Schema.Array(Scope),
  /** Such a key may create drafts, but neither schedule nor publish. */
  requiresApproval: Schema.Boolean,
  /** The keys that this one replaces by rotation. Only known of a key that requires approval: its drafts are theirs too. */
  predecessors: Schema.Array(ApiKeyId)
})
export type KeyHolder = typeof KeyHolder.Type

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const checksumLength = 6

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  return crc
})

/** CRC-32 (IEEE 802.3) of ASCII text: finds a mistyped or truncated key without a database lookup. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const base62 = (value: number, length: number): string => {
  let rest = value
  let digits = ""
  for (let position = 0; position < length; position++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Characters in a key's secret. */
export const secretLength = 32
/** Characters that each of them is chosen from. */
export const secretBase = alphabet.length

/** A key's secret from `secretLength` numbers below `secretBase`. */
export const secretFromDigits = (digits: ReadonlyArray<number>): string =>
  digits.map((digit) => alphabet.charAt(digit)).join("")

/** `sps_<secret>_<checksum>`. */
export const formatApiKey = (secret: string): string => `sps_${secret}_${base62(crc32(secret), checksumLength)}`

/** Whether a string has the format of a key and a correct checksum. */
export const isWellFormedApiKey = (key: string): boolean => {
  const match = /^sps_([0-9A-Za-z]{32})_[0-9A-Za-z]{6}$/.exec(key)
  return match?.[1] !== undefined && formatApiKey(match[1]) === key
}

/** The part of a key that may be shown, so that people can tell their keys apart. */
export const apiKeyPrefix = (key: string): string => key.slice(0, 12)
