const digits = "abcdefghijklmnopqrstuvwxyz234567"

/** RFC 4648 in lower case without padding. */
const base32 = (bytes: Uint8Array): string => {
  let text = ""
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value & 31) << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += digits.charAt((value >>> bits) & 31)
    }
  }
  return bits === 0 ? text : text + digits.charAt((value << (5 - bits)) & 31)
}

/** CID version 1, the codec raw, SHA-256 of 32 bytes. */
const rawSha256 = [0x01, 0x55, 0x12, 0x20]

/** A blob's reference, the same in every repository. `hash` is its SHA-256 in hexadecimal. */
export const blobReference = (hash: string): string =>
  `b${base32(Buffer.concat([Buffer.from(rawSha256), Buffer.from(hash, "hex")]))}`
