import type { Effect } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import type { Link } from "./Link.ts"
import type { PlatformAdapter } from "./PlatformClient.ts"
import type { Trial } from "./Trial.ts"

/** A platform at some addresses: its own, or those of its stand-in. Only the platform's folder knows which it needs. */
export interface Connection {
  /** The site where people see posts, without a slash at the end. */
  readonly webUrl: string
  /** Makes the link, whose kind is that of the platform's facts. */
  readonly makeLink: (where: "live" | "sandbox") => Link
  readonly makeAdapter: (calls: PlatformAdapter["calls"]) => Effect.Effect<PlatformAdapter>
  readonly makeTrial: (calls: PlatformAdapter["calls"]) => Trial
}

/** The connections of all live platforms. */
export type Connections = Readonly<Record<LivePlatform, Connection>>
