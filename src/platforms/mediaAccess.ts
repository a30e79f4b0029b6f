import type { Effect, Redacted } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import { lacksMedia } from "./twitter/tokens.ts"

/**
 * Tells by an account's stored credentials whether it allows no uploads of media. On other platforms a person allows all or
 * nothing.
 */
export const lacksMediaAccess: {
  readonly [Name in LivePlatform]?: (credentials: Redacted.Redacted) => Effect.Effect<boolean>
} = { twitter: lacksMedia }
