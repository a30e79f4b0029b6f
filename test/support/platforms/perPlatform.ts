import { Record } from "effect"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { liveFacts } from "../../../src/platforms/facts.ts"

/** A value for each platform that has an adapter. */
export const perPlatform = <A>(make: (platform: LivePlatform) => A): Record<LivePlatform, A> =>
  Record.map(liveFacts, (_, platform) => make(platform))
