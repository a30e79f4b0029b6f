import { createHash } from "node:crypto"

export const digits = (seed: string, length: number): string =>
  (createHash("sha256").update(seed).digest().readBigUInt64BE() % 10n ** BigInt(length))
    .toString()
    .padStart(length, "0")

/** `prefix` differs between platforms. */
export const accountIdOf = (seed: string, prefix: string): string => `${prefix}${digits(`account ${seed}`, 14)}`

/** Containers and posts have ids from different ranges, so neither can be taken for the other. */
export const containerIdOf = (seed: string): string => `17${digits(`container ${seed}`, 15)}`

/** The post's id for programs. Its address has another key. */
export const mediaIdOf = (key: string): string => `18${digits(`post ${key}`, 15)}`

export const keyOf = (seed: string): string =>
  `D${createHash("sha256").update(`key ${seed}`).digest("base64url").slice(0, 10)}`
