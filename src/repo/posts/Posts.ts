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
import type { LivePlatform, Platform } from "../../domain/platform.ts"
import type { Guarded } from "../../domain/posts/approval.ts"
import type { PostLookups } from "../../domain/posts/lookups.ts"
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

export type RequestedRevision = Pick<PostChange, "content" | "overrides" | "revision" | "thread">

export interface PostBatchQuery {
  readonly limit: number
  /** Bounds a read's memory, in bytes of JSON. The post that reaches it is the last. */
  readonly maxBytes: number
  /** Keyset pagination: only older posts. */
  readonly before: PostId | null
}

export interface PostQuery extends PostBatchQuery {
  readonly status: PostStatus | null
}

/** Sorted by `scheduled_at`, it finds only posts with a time. */
export interface PostSearch extends Omit<PostBatchQuery, "before"> {
  readonly filters: PostFilters
  readonly sort: PostSort
  readonly order: ListOrder
  readonly after: SortedPosition | null
}

export interface PostScan extends PostSearch {
  readonly maxTried: number
}

export interface ScanPosition extends SortedPosition {
  readonly tried: number
}

export interface SortedPost extends PostJson {
  readonly scheduledAt: DateTime.Utc | null
}

export type ScannedPost = PostJson & ScanPosition

export interface PostBatch<Listed extends PostJson = PostJson> {
  /** At least one post, if any is left. */
  readonly posts: ReadonlyArray<Listed>
  readonly more: boolean
}

export interface ScannedBatch {
  readonly posts: ReadonlyArray<ScannedPost>
  readonly more: boolean
  /** Set if the scan stopped after `maxTried` posts. `posts` then has all earlier matches. */
  readonly stoppedAt?: ScanPosition
}

export type DecideChange<E> = (
  post: StoredPost,
  library: Library,
  slotAt?: DateTime.Utc
) => Result.Result<PostChange, E>

/** Runs under the post's lock. */
export type FindSlot<E> = (post: StoredPost) => Effect.Effect<DateTime.Utc, E | DatabaseUnavailable>

export interface ChangeOptions<E = never> {
  /** The right must last until the change is stored. The history shows its author. */
  readonly by?: Authority
  /** Includes the parts' files. By default, the present files. */
  readonly filesAfter?: (post: StoredPost) => ReadonlyArray<MediaId>
  readonly changesPlatforms?: boolean
  /** The post holds the slot that this finds. */
  readonly findSlot?: FindSlot<E>
}

export interface CopiedPost {
  readonly post: Post
  readonly warnings: ReadonlyArray<Issue>
}

export interface LeftOnPlatforms {
  /** Counts each part of a thread, but not posts with an unknown outcome. */
  readonly leftOnPlatforms: number
}

type CreateError = IntegrationNotConnected | InvalidRequest | AuthorityError | DatabaseUnavailable

export interface Posts {
  /** Stores nothing if a platform is not connected or the group is full. The post holds `slotAt`. One round trip. */
  readonly create: (
    workspaceId: WorkspaceId,
    plan: PostPlan & { readonly card?: LinkCard | null; readonly slotAt?: DateTime.Utc },
    by?: Authority
  ) => Effect.Effect<CreatedPost, CreateError>
  /** One round trip for a program's post without files and group. Other posts and repetitions need a transaction. */
  readonly createOnce: (
    workspaceId: WorkspaceId,
    plan: PostPlan & { readonly card?: LinkCard | null },
    by: Authority | undefined,
    key: IdempotencyKey<CreatedPost>
  ) => Effect.Effect<Once<CreatedPost>, CreateError | IdempotencyError>
  /**
   * Stores a draft. `decide` runs under the post's lock. Stores nothing if a platform is not connected. Targets that
   * the copy takes over refer to the copy.
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
  readonly get: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<Post, NotFound | DatabaseUnavailable>
  /** Like `get`, with the surrounding transaction's writes. */
  readonly getWritten: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<Post, NotFound | DatabaseUnavailable>
  readonly getJson: (workspaceId: WorkspaceId, id: PostId) => Effect.Effect<PostJson, NotFound | DatabaseUnavailable>
  /**
   * `getJson` without a fiber or a span. Returns a function that cancels the read before it begins. `resume` gets an
   * Exit unless the post needs another read.
   */
  readonly askJson: (
    workspaceId: WorkspaceId,
    id: PostId,
    context: Context.Context<never>,
    resume: (found: Effect.Effect<PostJson, NotFound | DatabaseUnavailable>) => void
  ) => () => void
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId, query: PostQuery) => Effect.Effect<PostBatch, DatabaseUnavailable>
  /** Ties are sorted by id. */
  readonly search: (
    workspaceId: WorkspaceId,
    query: PostSearch
  ) => Effect.Effect<PostBatch<SortedPost>, DatabaseUnavailable>
  /** Like `search`, but tries only the list's next posts. */
  readonly scan: (workspaceId: WorkspaceId, query: PostScan) => Effect.Effect<ScannedBatch, DatabaseUnavailable>
  /** Newest first. */
  readonly listGroup: (
    workspaceId: WorkspaceId,
    groupId: GroupId,
    query: PostBatchQuery
  ) => Effect.Effect<PostBatch, DatabaseUnavailable>
  /** No round trip without ids. */
  readonly readMedia: (
    workspaceId: WorkspaceId,
    ids: ReadonlyArray<MediaId>
  ) => Effect.Effect<Library, DatabaseUnavailable>
  /** Locks the files until the surrounding transaction ends, so that none is removed. */
  readonly lockMedia: (
    workspaceId: WorkspaceId,
    ids: ReadonlyArray<MediaId>
  ) => Effect.Effect<Library, DatabaseUnavailable>
  /** `decide` runs under the post's lock, with its files in the library and the slot that was found. */
  readonly update: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: DecideChange<E>,
    options?: ChangeOptions<E>
  ) => Effect.Effect<
    Post,
    E | NotFound | PostUnreadable | IntegrationNotConnected | AuthorityError | DatabaseUnavailable
  >
  /**
   * Makes the post due now; if it has failed, only its failed targets, and the post keeps its own time. `decide` may
   * return cards to store. With a platform, only the failed target there becomes due.
   */
  readonly publish: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: (post: StoredPost, library: Library) => Result.Result<PostLookups | void, E>,
    by?: Authority,
    platform?: LivePlatform
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | AuthorityError | DatabaseUnavailable>
  /** For a draft that the surrounding transaction created. */
  readonly requestApproval: (
    workspaceId: WorkspaceId,
    id: PostId,
    requested: RequestedRevision
  ) => Effect.Effect<void, DatabaseUnavailable>
  /**
   * Like `update`, and requests approval with the draft's texts. `requested` is false if this revision was already
   * requested. Fails with InvalidState if it was rejected.
   */
  readonly updateForApproval: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide: DecideChange<E>,
    options?: ChangeOptions<E>
  ) => Effect.Effect<
    { readonly post: Post; readonly requested: boolean },
    E | NotFound | PostUnreadable | InvalidState | IntegrationNotConnected | AuthorityError | DatabaseUnavailable
  >
  /** Like `update`, and approves. `decide` sees an earlier rejection. */
  readonly approve: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    by: Authority,
    decide: DecideChange<E>,
    findSlot?: FindSlot<E>
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | AuthorityError | DatabaseUnavailable>
  /** `decide` sees an earlier rejection. */
  readonly reject: <E>(
    workspaceId: WorkspaceId,
    id: PostId,
    rejection: { readonly by: Author; readonly reason: string },
    decide: (post: StoredPost) => Result.Result<void, E>
  ) => Effect.Effect<Post, E | NotFound | PostUnreadable | DatabaseUnavailable>
  /** Nothing of the post is sent afterward. Fails with InvalidState during an attempt. */
  readonly remove: <E = never>(
    workspaceId: WorkspaceId,
    id: PostId,
    decide?: (post: Guarded) => Result.Result<void, E>,
    by?: Authority
  ) => Effect.Effect<LeftOnPlatforms, E | NotFound | InvalidState | AuthorityError | DatabaseUnavailable>
  readonly isGroupFull: (workspaceId: WorkspaceId, groupId: GroupId) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Removes all posts or none. Returns the number removed. */
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
