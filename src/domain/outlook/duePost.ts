import type { DateTime } from "effect"
import type { IntegrationId, PostId } from "../ids.ts"
import type { LivePlatform } from "../platform.ts"
import type { StoredPost } from "../posts/postPlan.ts"

/** A scheduled post, or a draft with a time, that is due soon. */
export interface DuePost extends StoredPost {
  readonly id: PostId
  readonly scheduledAt: DateTime.Utc
  /** True if the draft waits for somebody to approve or reject it. */
  readonly isUndecided: boolean
  readonly isRejected: boolean
}

/** An account that the workspace has connected, or had. */
export interface DueAccount {
  readonly id: IntegrationId
  readonly platform: LivePlatform
  readonly accountId: string
  readonly username: string
  readonly serviceUrl: string | null
  readonly status: "connected" | "needs_reconnect" | "disconnected"
  /** The end of the access, if it is known. */
  readonly accessUntil: DateTime.Utc | null
}
