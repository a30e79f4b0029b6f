import { Duration, Schema } from "effect"
import { ApiKeyId, WorkspaceId } from "../ids.ts"
import { powerfulScopes, scopes } from "../plain/access.ts"

export const Scope = Schema.Literals(scopes)
export type Scope = typeof Scope.Type

/** For people only: a key's purpose changes none of its rights. */
export const KeyPurpose = Schema.Literals(["agent"])
export type KeyPurpose = typeof KeyPurpose.Type

export const excessiveScopes = (chosen: ReadonlyArray<Scope>, requiresApproval: boolean): ReadonlyArray<Scope> =>
  requiresApproval ? chosen.filter((scope) => powerfulScopes.includes(scope)) : []

/**
 * Also counts revoked and expired keys that were created within the last day, which limits repeated creation and
 * revocation.
 */
export const maxKeys = 1_000

/** A rotated key's remaining validity, by default and at most. */
export const defaultKeyOverlap = Duration.hours(24)
export const maxKeyOverlap = Duration.days(30)

/** Keys from before `posts:delete` existed delete posts with `posts:write`, so `posts:write` includes it. */
export const hasScope = (held: ReadonlyArray<Scope>, scope: Scope): boolean =>
  held.includes(scope) || (scope === "posts:delete" && held.includes("posts:write"))

export const KeyHolder = Schema.Struct({
  keyId: ApiKeyId,
  workspaceId: WorkspaceId,
  scopes: Schema.Array(Scope),
  /** True if the key may create drafts, but neither schedule nor publish. */
  requiresApproval: Schema.Boolean,
  /** The older keys that this key replaced by rotation, from the latest to the oldest. */
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

/** CRC-32 (IEEE 802.3) of ASCII text. It detects a mistyped or truncated key without a database query. */
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

export const secretLength = 32
export const secretBase = alphabet.length

export const secretFromDigits = (digits: ReadonlyArray<number>): string =>
  digits.map((digit) => alphabet.charAt(digit)).join("")

/** `sps_<secret>_<checksum>`. */
export const formatApiKey = (secret: string): string => `sps_${secret}_${base62(crc32(secret), checksumLength)}`

export const isWellFormedApiKey = (key: string): boolean => {
  const match = /^sps_([0-9A-Za-z]{32})_[0-9A-Za-z]{6}$/.exec(key)
  return match?.[1] !== undefined && formatApiKey(match[1]) === key
}

/** The part that may be shown, so that people can tell keys apart. */
export const apiKeyPrefix = (key: string): string => key.slice(0, 12)
