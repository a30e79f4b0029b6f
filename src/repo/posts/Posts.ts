import type { DateTime, Effect, Result } from "effect"
import type { DatabaseUnavailable, IntegrationNotConnected, InvalidState, NotFound } from "../../domain/errors.ts"
import type { ApiKeyId, GroupId, PostId, UserId, WorkspaceId } from "../../domain/ids.ts"
import type { Platform } from "../../domain/platform.ts"
import type { Guarded } from "../../domain/approval.ts"
import type { Post, PostStatus } from "../../domain/post.ts"
import type { PostChange, PostPlan, StoredPost } from "../../domain/postPlan.ts"

export interface CreatedPost {
  readonly id: PostId
  readonly status: PostStatus
  readonly scheduled_at: DateTime.Utc | null
  readonly platforms: ReadonlyArray<Platform>
}

/** Who makes a post. */
export type Creator = { readonly type: "key"; readonly id: ApiKeyId } | { readonly type: "user"; readonly id: UserId }

export interface PostQuery {
  readonly status: PostStatus | null
  readonly limit: number
  /** Keyset pagination: only posts older than this one. */
  readonly before: PostId | null
}

export interface Posts {
  /** Stores a post with its targets, or nothing where one of its platforms is not connected. One round trip. */
  readonly create: (
    workspaceId: WorkspaceId,
    plan: PostPlan,
    creator?: Creator
  ) => Effect.Effect<CreatedPost, IntegrationNotConnected | DatabaseUnavailable>
  /** One round trip. */
  readonly get: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<Post, NotFound | DatabaseUnavailable>
  /** Newest first; one round trip. */
  readonly list: (workspaceId: WorkspaceId, query: PostQuery) => Effect.Effect<ReadonlyArray<Post>, DatabaseUnavailable>
  /** Newest first; all posts without a limit. */
  readonly listGroup: (
    workspaceId: WorkspaceId,
    groupId: GroupId,
    limit?: number
  ) => Effect.Effect<ReadonlyArray<Post>, DatabaseUnavailable>
  /** Locks the post, lets `decide` decide on its current state, and writes the decision in the same transaction. */
  readonly update: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost) => Result.Result<PostChange, E>
  ) => Effect.Effect<Post, E | NotFound | DatabaseUnavailable>
  /** Makes the post due now; of a failed post only the failed targets. */
  readonly publish: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost) => Result.Result<void, E>
  ) => Effect.Effect<Post, E | NotFound | DatabaseUnavailable>
  /** Records that approval of the post as it stands is requested. Whether that was not the case before. */
  readonly requestApproval: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Nothing of the post is sent afterwards. Fails with InvalidState while an attempt is in flight. */
  readonly remove: <E = never>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide?: (post: StoredPost) => Result.Result<void, E>
  ) => Effect.Effect<void, E | NotFound | InvalidState | DatabaseUnavailable>
  /** All or nothing; returns how many posts were removed. */
  readonly removeGroup: <E = never>(
    workspaceId: WorkspaceId,
    groupId: GroupId,
    decide?: (post: Guarded) => Result.Result<void, E>
  ) => Effect.Effect<number, E | InvalidState | DatabaseUnavailable>
}
