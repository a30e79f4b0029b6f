import { createHash } from "node:crypto"

/** The seed of the account that gives consent on the sandbox's page. */
export const visitor = "visitor"

const base32 = "abcdefghijklmnopqrstuvwxyz234567"
const maxNameLength = 15

/** In the alphabet of DIDs and CIDs. */
export const hashName = (text: string, length: number): string =>
  [...createHash("sha256").update(text).digest()]
    .map((byte) => base32.charAt(byte % 32))
    .join("")
    .slice(0, length)

/** Up to 15 letters and digits. */
export const handleOf = (seed: string): string => {
  const name = seed
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "")
  return name !== "" && name.length <= maxNameLength ? name : `${name.slice(0, 6)}${hashName(seed, 8)}`
}

export const displayNameOf = (seed: string): string => {
  const words = seed
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .slice(0, 4)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") || "Sandbox"
}
