import { Effect, type Redacted } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import { lacksMedia } from "./twitter/tokens.ts"

/** Whether an account's stored credentials allow no uploads of media. Only X lets a person allow some things and not others. */
export const lacksMediaAccess = (platform: LivePlatform, credentials: Redacted.Redacted): Effect.Effect<boolean> =>
  platform === "twitter" ? lacksMedia(credentials) : Effect.succeed(false)
