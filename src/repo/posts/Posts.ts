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

/** What approval is requested of. */
export type RequestedRevision = Pick<PostChange, "content" | "overrides" | "revision" | "thread">

/** Which part of a list to read. */
export interface PostBatchQuery {
  readonly limit: number
  /** Bytes of JSON; the post that reaches them is the last one. Bounds the memory of a read. */
  readonly maxBytes: number
  /** Keyset pagination: only posts older than this one. */
  readonly before: PostId | null
}

export interface PostQuery extends PostBatchQuery {
  readonly status: PostStatus | null
}

/** Which part of a list with filters to read. In the order of `scheduled_at` it has only posts with a time. */
export interface PostSearch extends Omit<PostBatchQuery, "before"> {
  readonly filters: PostFilters
  readonly sort: PostSort
  readonly order: ListOrder
  /** Keyset pagination: only posts that come after this position in the order. */
  readonly after: SortedPosition | null
}

/** Which part of a list to look through post by post. */
export interface PostScan extends PostSearch {
  /** How many posts to try. */
  readonly maxTried: number
}

/** Where a scan is: after this position, and after so many posts were tried. */
export interface ScanPosition extends SortedPosition {
  readonly tried: number
}

/** A post with its place in a sorted list. */
export interface SortedPost extends PostJson {
  readonly scheduledAt: DateTime.Utc | null
}

/** A post that a scan found. */
export type ScannedPost = PostJson & ScanPosition

/** A part of a list. */
export interface PostBatch<Listed extends PostJson = PostJson> {
  /** At least one post, unless there are none. */
  readonly posts: ReadonlyArray<Listed>
  /** Whether there are posts after these. */
  readonly more: boolean
}

/** What a scan found. */
export interface ScannedBatch {
  /** Those that match, or the first of them. */
  readonly posts: ReadonlyArray<ScannedPost>
  /** Whether there may be posts after these. */
  readonly more: boolean
  /** Where the scan ended because as many posts were tried as it may try; all that matched until there are in `posts`. */
  readonly stoppedAt?: ScanPosition
}

/** How a post is changed. */
export interface ChangeOptions {
  /** By whose right it is changed, which is needed until that is stored; its history shows who it was. */
  readonly by?: Authority
  /** The files that it is to carry, its parts included; by default those that it has. */
  readonly filesAfter?: (post: StoredPost) => ReadonlyArray<MediaId>
  /** Whether it may be for other platforms then. */
  readonly changesPlatforms?: boolean
}

/** A copy of a post. */
export interface CopiedPost {
  readonly post: Post
  /** What of the original it is without. */
  readonly warnings: ReadonlyArray<Issue>
}

/** What deleting posts leaves to people. */
export interface LeftOnPlatforms {
  /** How many posts are still on platforms, each part of a thread by itself. What may be out is not among them. */
  readonly leftOnPlatforms: number
}

type CreateError = IntegrationNotConnected | InvalidRequest | AuthorityError | DatabaseUnavailable

export interface Posts {
  /**
   * Stores a post with its targets, or nothing if one of its platforms is not connected or its group is full. One round
   * trip.
   */
  readonly create: (
    workspaceId: WorkspaceId,
    plan: PostPlan & { readonly card?: LinkCard | null },
    by?: Authority
  ) => Effect.Effect<CreatedPost, CreateError>
  /**
   * Stores a post together with its idempotency key. A program's post without files and group takes one round trip.
   * Any other post takes a transaction, and so does a repetition.
   */
  readonly createOnce: (
    workspaceId: WorkspaceId,
    plan: PostPlan & { readonly card?: LinkCard | null },
    by: Authority | undefined,
    key: IdempotencyKey<CreatedPost>
  ) => Effect.Effect<Once<CreatedPost>, CreateError | IdempotencyError>
  /**
   * Stores a draft that is a copy of a post, as `decide` says under the post's lock, or nothing where one of its platforms is not
   * connected. Where it takes over targets of the post, they name it.
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
  /** Reads what `get` does, encoded. */
  readonly getJson: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<PostJson, NotFound | DatabaseUnavailable>
  /**
   * Reads the same without a fiber or a span, in `context`, and returns how to leave the read before it begins. What it resumes with is
   * an exit unless the post needs more to be read.
   */
  readonly askJson: (
    workspaceId: WorkspaceId,
    id: PostId,
    context: Context.Context<never>,
    resume: (found: Effect.Effect<PostJson, NotFound | DatabaseUnavailable>) => void
  ) => () => void
  /** Newest first; one round trip. */
  readonly list: (workspaceId: WorkspaceId, query: PostQuery) => Effect.Effect<PostBatch, DatabaseUnavailable>
  /** Finds posts in the order that the query asks for, those of the same time by id; one round trip. */
  readonly search: (
    workspaceId: WorkspaceId,
    query: PostSearch
  ) => Effect.Effect<PostBatch<SortedPost>, DatabaseUnavailable>
  /** Finds what `search` does, among the next posts of the list; one round trip. */
  readonly scan: (workspaceId: WorkspaceId, query: PostScan) => Effect.Effect<ScannedBatch, DatabaseUnavailable>
  /** Newest first; one round trip. */
  readonly listGroup: (
    workspaceId: WorkspaceId,
    groupId: GroupId,
    query: PostBatchQuery
  ) => Effect.Effect<PostBatch, DatabaseUnavailable>
  /** Reads those of these files that the workspace's library has. No round trip without ids. */
  readonly readMedia: (
    workspaceId: WorkspaceId,
    ids: ReadonlyArray<MediaId>
  ) => Effect.Effect<Library, DatabaseUnavailable>
  /**
   * Reads those of these files that the workspace's library has, locked until the surrounding transaction ends so that none is
   * removed. No round trip without ids.
   */
  readonly lockMedia: (
    workspaceId: WorkspaceId,
    ids: ReadonlyArray<MediaId>
  ) => Effect.Effect<Library, DatabaseUnavailable>
  /**
   * Locks the post, lets `decide` decide on its current state and on what the library has of its files, and writes the
   * decision in the same transaction.
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
  /** Makes the post due now; of a failed post only the failed targets. `decide` may return the cards that are stored with it. */
  readonly publish: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost, library: Library) => Result.Result<PostCards | void, E>,
    by?: Authority
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | AuthorityError | DatabaseUnavailable>
  /** Records that approval is requested of a draft that was created in the surrounding transaction. */
  readonly requestApproval: (
    workspaceId: WorkspaceId,
    id: PostId,
    requested: RequestedRevision
  ) => Effect.Effect<void, DatabaseUnavailable>
  /**
   * Updates as `update` does, and records that approval of the draft is requested, with its texts. `requested` is whether that was not the
   * case before. Fails with InvalidState if this revision was rejected.
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
  /** Updates as `update` does, and records that the revision is approved, in the same transaction. `decide` knows whether it was rejected. */
  readonly approve: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    by: Authority,
    decide: (post: StoredPost, library: Library) => Result.Result<PostChange, E>
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | AuthorityError | DatabaseUnavailable>
  /** Records that the post as it stands is rejected, unless `decide` fails, which knows whether it was rejected before. */
  readonly reject: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    rejection: { readonly by: Author; readonly reason: string },
    decide: (post: StoredPost) => Result.Result<void, E>
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | DatabaseUnavailable>
  /** Nothing of the post is sent afterwards. Fails with InvalidState while an attempt is in flight. Returns what stays on platforms. */
  readonly remove: <E = never>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide?: (post: Guarded) => Result.Result<void, E>,
    by?: Authority
  ) => Effect.Effect<LeftOnPlatforms, E | NotFound | InvalidState | AuthorityError | DatabaseUnavailable>
  /** Whether a group has as many posts as it may have. */
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
