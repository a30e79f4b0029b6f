import type { Config, Effect, Redacted } from "effect"
import type { PlatformRules } from "../domain/posts/platformRules.ts"
import type { StandIn } from "../sandbox/StandIn.ts"
import type { Connection } from "./Connection.ts"
import type { LimitSource } from "./Platform.ts"

export interface Configured {
  readonly connection: Connection
  /** These are present if settings change them. */
  readonly rules?: PlatformRules
  readonly standIn?: StandIn
  readonly connectStandIn?: LiveParts["connectStandIn"]
  /** Videos are sent as bytes, although the facts say that the platform fetches files. */
  readonly takesVideos?: true
}

/** The server's part of a platform with an adapter. Browsers get the rest, its facts. */
export interface LiveParts {
  /** Reads the environment. */
  readonly configured: Config.Config<Configured>
  /** The rules without the operator's settings. */
  readonly rules: PlatformRules
  readonly standIn: StandIn
  /** The source of each number of the platform's `limits.ts`. */
  readonly limitSources: Readonly<Record<string, LimitSource>>
  /** People see the stand-in's posts under `webUrl`. */
  readonly connectStandIn: (url: string, webUrl: string) => Connection
  /**
   * True if the credentials allow no uploads. Absent if that can't happen, because people grant either all access or
   * none.
   */
  readonly lacksMedia?: (credentials: Redacted.Redacted) => Effect.Effect<boolean>
}
