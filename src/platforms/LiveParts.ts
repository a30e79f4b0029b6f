import type { Config, Effect, Redacted } from "effect"
import type { PlatformRules } from "../domain/posts/platformRules.ts"
import type { StandIn } from "../sandbox/StandIn.ts"
import type { Connection } from "./Connection.ts"

/** A platform as the operator's settings have it. */
export interface Configured {
  readonly connection: Connection
  /** The rules and the stand-in, if settings change them. */
  readonly rules?: PlatformRules
  readonly standIn?: StandIn
}

/** A platform that has an adapter: everything but its facts, which browsers know too. */
export interface LiveParts {
  /** Reads the platform's environment variables. */
  readonly configured: Config.Config<Configured>
  /** The rules without any setting. */
  readonly rules: PlatformRules
  /** The stand-in without any setting. */
  readonly standIn: StandIn
  /** Connects to the stand-in at `url`. People see its posts under `webUrl`. */
  readonly connectStandIn: (url: string, webUrl: string) => Connection
  /** Tells if an account's access lacks uploads of media. Absent if a person allows all or nothing. */
  readonly lacksMedia?: (credentials: Redacted.Redacted) => Effect.Effect<boolean>
}
