import type { Config, Effect, Redacted } from "effect"
import type { PlatformRules } from "../domain/posts/platformRules.ts"
import type { StandIn } from "../sandbox/StandIn.ts"
import type { Connection } from "./Connection.ts"

/** A platform with the operator's settings. */
export interface Configured {
  readonly connection: Connection
  /** Present if settings change them. */
  readonly rules?: PlatformRules
  readonly standIn?: StandIn
}

/** All of a platform with an adapter except its facts, which browsers know too. */
export interface LiveParts {
  /** Reads the platform's environment variables. */
  readonly configured: Config.Config<Configured>
  /** Without settings. */
  readonly rules: PlatformRules
  /** Without settings. */
  readonly standIn: StandIn
  /** Connects to the stand-in at `url`. People see its posts under `webUrl`. */
  readonly connectStandIn: (url: string, webUrl: string) => Connection
  /** True if an account's access lacks uploads. Absent if a person allows all or nothing. */
  readonly lacksMedia?: (credentials: Redacted.Redacted) => Effect.Effect<boolean>
}
