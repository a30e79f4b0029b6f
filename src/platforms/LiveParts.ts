import type { Config, Effect, Redacted } from "effect"
import type { PlatformRules } from "../domain/posts/platformRules.ts"
import type { StandIn } from "../sandbox/StandIn.ts"
import type { Connection } from "./Connection.ts"

export interface Configured {
  readonly connection: Connection
  /** Present if settings change them. */
  readonly rules?: PlatformRules
  readonly standIn?: StandIn
}

/** A platform with an adapter, except for its facts, which browsers know too. */
export interface LiveParts {
  /** Reads the environment. */
  readonly configured: Config.Config<Configured>
  /** Without settings. */
  readonly rules: PlatformRules
  readonly standIn: StandIn
  /** People see the stand-in's posts under `webUrl`. */
  readonly connectStandIn: (url: string, webUrl: string) => Connection
  /** True if the access lacks uploads. Absent if people allow all or nothing. */
  readonly lacksMedia?: (credentials: Redacted.Redacted) => Effect.Effect<boolean>
}
