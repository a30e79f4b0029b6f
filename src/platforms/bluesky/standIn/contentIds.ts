import { createHash } from "node:crypto"

const digits = "abcdefghijklmnopqrstuvwxyz234567"

const base32 = (bytes: Uint8Array): string => {
  let text = ""
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += digits.charAt((value >>> bits) & 31)
    }
    value &= 31
  }
  return bits === 0 ? text : text + digits.charAt((value << (5 - bits)) & 31)
}

const raw = 0x55
const dagCbor = 0x71

/** CID version 1, a codec, and the SHA-256. */
const contentId = (codec: number, bytes: string | Uint8Array): string =>
  `b${base32(Buffer.concat([Buffer.from([1, codec, 0x12, 32]), createHash("sha256").update(bytes).digest()]))}`

export const blobId = (bytes: Uint8Array): string => contentId(raw, bytes)

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sortKeys(member)])
  )
}

/** A PDS hashes DAG-CBOR instead of JSON, so its CID differs. */
export const recordId = (record: object): string => contentId(dagCbor, JSON.stringify(sortKeys(record)))
