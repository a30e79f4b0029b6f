import type { Json } from "effect/Schema"
import type { ClaimToken, IntegrationId, PostId, ProcessId, TargetId, WorkspaceId } from "../../src/domain/ids.ts"
import type { LivePlatform, Platform } from "../../src/domain/platform.ts"
import type { PostMedia } from "../../src/domain/media/media.ts"
import type { PlatformOverrides, PlatformSettings } from "../../src/domain/posts/platformSettings.ts"
import type { PostStatus, TargetError, TargetStatus } from "../../src/domain/posts/post.ts"
import type { PublishedPart } from "../../src/domain/posts/targetParts.ts"
import type { Thread } from "../../src/domain/posts/thread.ts"
import type { NewNotification } from "../../src/repo/notifications/notifications.ts"

/** A row of `posts`. Times here and below are in milliseconds since 1970. */
export interface PostRow {
  readonly id: PostId
  readonly workspaceId: WorkspaceId
  readonly status: PostStatus
  readonly content: string
  readonly scheduledAt: number | null
  readonly publishedAt: number | null
  readonly tags: ReadonlyArray<string>
  readonly overrides: PlatformOverrides
  readonly settings: PlatformSettings
  readonly media: ReadonlyArray<PostMedia>
  readonly thread: Thread
  readonly platforms: ReadonlyArray<Platform>
  readonly createdAt: number
  readonly revision: number
}

/** A row of `post_targets`. */
export interface TargetRow {
  readonly id: TargetId
  readonly workspaceId: WorkspaceId
  readonly postId: PostId
  readonly integrationId: IntegrationId
  /** The platform's own id of the sending account. */
  readonly accountId: string
  readonly platform: LivePlatform
  readonly position: number
  readonly status: TargetStatus
  readonly dueSince: number | null
  readonly dueAt: number | null
  readonly attempts: number
  readonly reconcileAttempts: number
  readonly token: ClaimToken | null
  readonly leaseUntil: number | null
  /** The lease of the claim's process, and the claim's token. */
  readonly ownerId: ProcessId | null
  readonly ownerToken: ClaimToken | null
  /** The time since which the platform has been preparing or processing the post. */
  readonly processingSince: number | null
  readonly prepared: Json | null
  readonly sentAt: number | null
  /** The token of the claim that last began to send. */
  readonly sendToken: ClaimToken | null
  readonly resendOrdered: boolean
  readonly url: string | null
  readonly platformPostId: string | null
  readonly publishedAt: number | null
  readonly error: TargetError | null
  /** The current part, from 1. */
  readonly part: number
  /** The published parts of a thread; null before the first part is published, and for single posts. */
  readonly parts: ReadonlyArray<PublishedPart<string>> | null
  /** The time since which a part is published or might be; null before that, and for single posts. */
  readonly begunAt: number | null
  /** X's ids of the parts. */
  readonly partIds: ReadonlyArray<string> | null
  /** The uploads of later parts, by part. */
  readonly partUploads: Readonly<Record<string, Json>> | null
}

/** A row of `post_target_uploads`. */
export interface UploadRow {
  readonly targetId: TargetId
  readonly status: "waiting" | "uploading" | "ready" | "failed"
  readonly attempts: number
  readonly nextAt: number | null
  readonly token: ClaimToken | null
  readonly ownerId: ProcessId | null
  readonly leaseUntil: number | null
  /** The upload that the platform processes. */
  readonly uploaded: Json | null
  /** True if the last attempt failed. */
  readonly hasError: boolean
}

/** A row of `integrations`. */
export interface IntegrationRow {
  readonly id: IntegrationId
  readonly workspaceId: WorkspaceId
  readonly platform: LivePlatform
  readonly accountId: string
  readonly username: string
  readonly status: "connected" | "needs_reconnect"
  readonly credentials: string
  /** The number of times that the account was linked. */
  readonly version: number
}

/** A row of `notifications`. */
export interface NotificationRow {
  readonly workspaceId: WorkspaceId
  readonly notification: NewNotification
}

/** Undefined if there is no row before or after the transaction. */
export interface Change<Row> {
  readonly before: Row | undefined
  readonly after: Row | undefined
}

export interface Changes {
  readonly posts: ReadonlyArray<Change<PostRow>>
  readonly targets: ReadonlyArray<Change<TargetRow>>
  readonly integrations: ReadonlyArray<Change<IntegrationRow>>
  readonly notifications: ReadonlyArray<NotificationRow>
}
