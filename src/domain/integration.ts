import { Schema } from "effect"
import { IntegrationId } from "./ids.ts"
import { Instant } from "./instant.ts"
import { LivePlatform } from "./platform.ts"

/** An account that a workspace has connected on a platform. */
export const Integration = Schema.Struct({
  id: IntegrationId,
  platform: LivePlatform,
  username: Schema.String,
  display_name: Schema.NullOr(Schema.String),
  avatar_url: Schema.NullOr(Schema.String),
  /** `needs_reconnect` once the platform has refused the stored credentials. */
  status: Schema.Literals(["connected", "needs_reconnect"]),
  created_at: Instant
})
export type Integration = typeof Integration.Type
