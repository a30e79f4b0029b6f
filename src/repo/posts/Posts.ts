import type { Context, DateTime, Effect, Result } from "effect"
import type { Author } from "../../domain/people/actor.ts"
import type { Authority } from "../../domain/people/authority.ts"
import type { AuthorityError } from "../people/authority.ts"
import type {
  DatabaseUnavailable,
  IntegrationNotConnected,
  InvalidRequest,
  InvalidState,
  Issue,
  NotFound,
  PostUnreadable
} from "../../domain/errors.ts"
import type { GroupId, MediaId, PostId, WorkspaceId } from "../../domain/ids.ts"
import type { LinkCard } from "../../domain/posts/linkCard.ts"
import type { Library } from "../../domain/media/mediaPlan.ts"
import type { Platform } from "../../domain/platform.ts"
import type { Guarded } from "../../domain/posts/approval.ts"
import type { PostCards } from "../../domain/posts/cardPlan.ts"
import type { CopyPlan, OriginalPost } from "../../domain/posts/copyPlan.ts"
import type { Post, PostStatus } from "../../domain/posts/post.ts"
import type { ListOrder, PostFilters, PostSort, SortedPosition } from "../../domain/posts/postList.ts"
import type { PostChange, PostPlan, StoredPost } from "../../domain/posts/postPlan.ts"
import type { IdempotencyError, IdempotencyKey, Once } from "../idempotency.ts"
import type { PostJson } from "./rows.ts"

export interface CreatedPost {
  readonly id: PostId
  readonly status: PostStatus
  readonly scheduled_at: DateTime.Utc | null
  readonly platforms: ReadonlyArray<Platform>
}

/** The revision whose approval is requested. */
export type RequestedRevision = Pick<PostChange, "content" | "overrides" | "revision" | "thread">

/** The part of a list to read. */
export interface PostBatchQuery {
  readonly limit: number
  /** Bytes of JSON; the post that reaches them is the last. Bounds the memory of a read. */
  readonly maxBytes: number
  /** Keyset pagination: only posts older than this post. */
  readonly before: PostId | null
}

export interface PostQuery extends PostBatchQuery {
  readonly status: PostStatus | null
}

/** The part of a filtered list to read. In the order of `scheduled_at` it has only posts with a time. */
export interface PostSearch extends Omit<PostBatchQuery, "before"> {
  readonly filters: PostFilters
  readonly sort: PostSort
  readonly order: ListOrder
  /** Keyset pagination: only posts after this position. */
  readonly after: SortedPosition | null
}

/** The part of a list to search post by post. */
export interface PostScan extends PostSearch {
  /** The number of posts to try. */
  readonly maxTried: number
}

/** The position of a scan, and the number of posts that it has tried. */
export interface ScanPosition extends SortedPosition {
  readonly tried: number
}

/** A post with its place in a sorted list. */
export interface SortedPost extends PostJson {
  readonly scheduledAt: DateTime.Utc | null
}

export type ScannedPost = PostJson & ScanPosition

export interface PostBatch<Listed extends PostJson = PostJson> {
  /** At least one post, unless there are none. */
  readonly posts: ReadonlyArray<Listed>
  /** True if there are posts after these. */
  readonly more: boolean
}

export interface ScannedBatch {
  /** The posts that match, or the first of them. */
  readonly posts: ReadonlyArray<ScannedPost>
  /** True if there may be posts after these. */
  readonly more: boolean
  /** Set if the scan stopped after the allowed number of posts. `posts` then has all matches before this position. */
  readonly stoppedAt?: ScanPosition
}

export interface ChangeOptions {
  /** The right to change it, which is held until the change is stored. The history shows its author. */
  readonly by?: Authority
  /** The files of the changed post and its parts; by default the present ones. */
  readonly filesAfter?: (post: StoredPost) => ReadonlyArray<MediaId>
  /** True if the platforms may change. */
  readonly changesPlatforms?: boolean
}

export interface CopiedPost {
  readonly post: Post
  /** The parts of the original that the copy lacks. */
  readonly warnings: ReadonlyArray<Issue>
}

/** The posts that a deletion leaves for people to remove. */
export interface LeftOnPlatforms {
  /**
   * The number of posts still on platforms; each part of a thread counts. Posts that only may be published do not
   * count.
   */
  readonly leftOnPlatforms: number
}

type CreateError = IntegrationNotConnected | InvalidRequest | AuthorityError | DatabaseUnavailable

export interface Posts {
  /** Stores a post with its targets, or nothing if a platform is not connected or the group is full. One round trip. */
  readonly create: (
    workspaceId: WorkspaceId,
    plan: PostPlan & { readonly card?: LinkCard | null },
    by?: Authority
  ) => Effect.Effect<CreatedPost, CreateError>
  /**
   * Stores a post together with its idempotency key. A program's post without files and group takes one round trip. Any
   * other post takes a transaction, and so does a repetition.
   */
  readonly createOnce: (
    workspaceId: WorkspaceId,
    plan: PostPlan & { readonly card?: LinkCard | null },
    by: Authority | undefined,
    key: IdempotencyKey<CreatedPost>
  ) => Effect.Effect<Once<CreatedPost>, CreateError | IdempotencyError>
  /**
   * Stores a draft that is a copy of a post. `decide` runs under the post's lock. Stores nothing if a platform is not
   * connected. Targets of the post that the copy takes over name the copy.
   */
  readonly copy: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: OriginalPost, library: Library) => Result.Result<CopyPlan, E>,
    by: Authority
  ) => Effect.Effect<
    CopiedPost,
    E | NotFound | PostUnreadable | IntegrationNotConnected | AuthorityError | DatabaseUnavailable
  >
  /** One round trip. */
  readonly get: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<Post, NotFound | DatabaseUnavailable>
  /** The same as `get`, encoded. */
  readonly getJson: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<PostJson, NotFound | DatabaseUnavailable>
  /**
   * Reads the same in `context`, without a fiber or a span, and returns a function that cancels the read before it
   * begins. It resumes with an exit, unless the post needs another read.
   */
  readonly askJson: (
    workspaceId: WorkspaceId,
    id: PostId,
    context: Context.Context<never>,
    resume: (found: Effect.Effect<PostJson, NotFound | DatabaseUnavailable>) => void
  ) => () => void
  /** Newest first; one round trip. */
  readonly list: (workspaceId: WorkspaceId, query: PostQuery) => Effect.Effect<PostBatch, DatabaseUnavailable>
  /** Finds posts in the query's order, ties by id; one round trip. */
  readonly search: (
    workspaceId: WorkspaceId,
    query: PostSearch
  ) => Effect.Effect<PostBatch<SortedPost>, DatabaseUnavailable>
  /** The same as `search`, among the next posts of the list; one round trip. */
  readonly scan: (workspaceId: WorkspaceId, query: PostScan) => Effect.Effect<ScannedBatch, DatabaseUnavailable>
  /** Newest first; one round trip. */
  readonly listGroup: (
    workspaceId: WorkspaceId,
    groupId: GroupId,
    query: PostBatchQuery
  ) => Effect.Effect<PostBatch, DatabaseUnavailable>
  /** Reads the files that the workspace's library has. No round trip without ids. */
  readonly readMedia: (
    workspaceId: WorkspaceId,
    ids: ReadonlyArray<MediaId>
  ) => Effect.Effect<Library, DatabaseUnavailable>
  /** The same as `readMedia`, and locks the files until the surrounding transaction ends, so that none is removed. */
  readonly lockMedia: (
    workspaceId: WorkspaceId,
    ids: ReadonlyArray<MediaId>
  ) => Effect.Effect<Library, DatabaseUnavailable>
  /**
   * Locks the post and lets `decide` see its current state and its files in the library. Writes the decision in the
   * same transaction.
   */
  readonly update: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost, library: Library) => Result.Result<PostChange, E>,
    options?: ChangeOptions
  ) => Effect.Effect<
    Post,
    E | NotFound | PostUnreadable | IntegrationNotConnected | AuthorityError | DatabaseUnavailable
  >
  /** Makes the post due now; of a failed post only the failed targets. `decide` may return cards to store with it. */
  readonly publish: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost, library: Library) => Result.Result<PostCards | void, E>,
    by?: Authority
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | AuthorityError | DatabaseUnavailable>
  /** Records a request for approval of a draft that the surrounding transaction created. */
  readonly requestApproval: (
    workspaceId: WorkspaceId,
    id: PostId,
    requested: RequestedRevision
  ) => Effect.Effect<void, DatabaseUnavailable>
  /**
   * The same as `update`, and records a request for approval with the draft's texts. `requested` is false if this
   * revision was requested already. Fails with InvalidState if it was rejected.
   */
  readonly updateForApproval: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost, library: Library) => Result.Result<PostChange, E>,
    options?: ChangeOptions
  ) => Effect.Effect<
    { readonly post: Post; readonly requested: boolean },
    E | NotFound | PostUnreadable | InvalidState | IntegrationNotConnected | AuthorityError | DatabaseUnavailable
  >
  /** The same as `update`, and records the approval in the same transaction. `decide` sees a rejection. */
  readonly approve: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    by: Authority,
    decide: (post: StoredPost, library: Library) => Result.Result<PostChange, E>
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | AuthorityError | DatabaseUnavailable>
  /** Records a rejection of the current revision, unless `decide` fails, which sees an earlier rejection. */
  readonly reject: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    rejection: { readonly by: Author; readonly reason: string },
    decide: (post: StoredPost) => Result.Result<void, E>
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | DatabaseUnavailable>
  /**
   * Nothing of the post is sent afterward. Fails with InvalidState during an attempt. Returns what stays on platforms.
   */
  readonly remove: <E = never>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide?: (post: Guarded) => Result.Result<void, E>,
    by?: Authority
  ) => Effect.Effect<LeftOnPlatforms, E | NotFound | InvalidState | AuthorityError | DatabaseUnavailable>
  /** True if a group has as many posts as allowed. */
  readonly isGroupFull: (workspaceId: WorkspaceId, groupId: GroupId) => Effect.Effect<boolean, DatabaseUnavailable>
  /** All or nothing; returns how many posts were removed, and what stays on platforms. */
  readonly removeGroup: <E = never>(
    workspaceId: WorkspaceId,
    groupId: GroupId,
    decide?: (post: Guarded) => Result.Result<void, E>,
    by?: Authority
  ) => Effect.Effect<
    LeftOnPlatforms & { readonly deleted: number },
    E | InvalidState | AuthorityError | DatabaseUnavailable
  >
}
