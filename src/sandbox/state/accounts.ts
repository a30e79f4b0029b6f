import { createHash } from "node:crypto"
import type { LivePlatform } from "../../domain/platform.ts"
import { SandboxAccount } from "./entry.ts"

const base32 = "abcdefghijklmnopqrstuvwxyz234567"
const maxNameLength = 15

/** Hashes a text to the alphabet of DIDs and CIDs. */
export const hashName = (text: string, length: number): string =>
  [...createHash("sha256").update(text).digest()]
    .map((byte) => base32.charAt(byte % 32))
    .join("")
    .slice(0, length)

const slug = (seed: string): string => {
  const name = seed
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "")
  return name !== "" && name.length <= maxNameLength ? name : `${name.slice(0, 6)}${hashName(seed, 8)}`
}

const displayName = (seed: string): string => {
  const words = seed
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .slice(0, 4)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") || "Sandbox"
}

/** Derives an account from a seed: always the same one. */
export const deriveAccount = (platform: LivePlatform, seed: string): SandboxAccount => {
  const digest = createHash("sha256").update(`${platform} ${seed}`).digest()
  return platform === "twitter"
    ? SandboxAccount.make({
        platform,
        id: (digest.readBigUInt64BE() >> 4n).toString(),
        username: slug(seed),
        displayName: displayName(seed)
      })
    : SandboxAccount.make({
        platform,
        id: `did:plc:${hashName(`bluesky ${seed}`, 24)}`,
        username: `${slug(seed)}.sandbox.test`,
        displayName: displayName(seed)
      })
}
