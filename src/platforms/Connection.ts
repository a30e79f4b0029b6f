import type { Effect } from "effect"
import type { LivePlatform } from "../domain/platform.ts"
import type { Link } from "./Link.ts"
import type { PlatformAdapter } from "./PlatformClient.ts"
import type { Trial } from "./Trial.ts"

export interface Connection {
  /** The site that shows posts, without a trailing slash. */
  readonly webUrl: string
  /** The link has the kind of the platform's facts. */
  readonly makeLink: (where: "live" | "sandbox") => Link
  readonly makeAdapter: (calls: PlatformAdapter["calls"]) => Effect.Effect<PlatformAdapter>
  readonly makeTrial: (calls: PlatformAdapter["calls"]) => Trial
}

export type Connections = Readonly<Record<LivePlatform, Connection>>
