import { type Array as Arr, type DateTime, Duration, type Effect, type Exit, type Option, Schema, Struct } from "effect"
import type {
  ClaimLost,
  ClaimUncertain,
  DatabaseUnavailable,
  InvalidRequest,
  InvalidState,
  NotFound,
  PostUnreadable
} from "../../domain/errors.ts"
import { ClaimToken, IntegrationId, PostId, ProcessId, TargetId, WorkspaceId } from "../../domain/ids.ts"
import { PostMedia } from "../../domain/media/media.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { PlatformSettings } from "../../domain/posts/platformSettings.ts"
import { PostStatus, TargetError, TargetStatus } from "../../domain/posts/post.ts"
import type { Publication } from "../../domain/publishing/platformError.ts"
import { Reply } from "../../domain/publishing/reply.ts"
import type { Resolution } from "../../domain/publishing/resolution.ts"
import type { TargetSettlement } from "../../domain/publishing/settlement.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"

/** A target that only this process may send until its lease ends. */
export const Claim = Schema.Struct({
  targetId: TargetId,
  token: ClaimToken,
  /** By this process's clock. */
  leaseUntil: Timestamp,
  /** Null if the claim has only its own lease. */
  ownerId: Schema.NullOr(ProcessId),
  workspaceId: WorkspaceId,
  postId: PostId,
  platform: LivePlatform,
  /** The account's host, or the platform's name if all its accounts share one. */
  host: Schema.String,
  /** From 1. A post without a thread is its only part. */
  part: Schema.Int,
  parts: Schema.Int,
  isThread: Schema.Boolean,
  reply: Schema.NullOr(Reply),
  /** The part's text; `media` and `card` are also the part's. */
  text: Schema.String,
  settings: PlatformSettings,
  media: Schema.Array(PostMedia),
  card: Schema.NullOr(LinkCard),
  /** A BCP 47 tag. */
  language: Schema.NullOr(Schema.String),
  /** Includes this attempt. */
  attempts: Schema.Int,
  /** True if a rate limit delayed the target: a 429, or fewer remaining posts than the thread has parts. */
  lastRateLimited: Schema.Boolean,
  reconcileAttempts: Schema.Int,
  /** The due time by the monotonic clock, in milliseconds. */
  dueFrom: Schema.Finite,
  /** By the earlier of this process's and the database's clock. Nothing was sent under this claim before that time. */
  claimedAt: Timestamp,
  /** The first due time, shifted to this process's clock. */
  dueSince: Timestamp,
  /** `readStored` distinguishes prepared content from the state of its files. */
  prepared: Schema.NullOr(Schema.Json),
  /** The start of an earlier send with an unknown outcome. */
  sentAt: NullableTimestamp,
  /** The start of the platform's processing. */
  processingSince: NullableTimestamp,
  /** True if the post is sent again when reconciliation does not find the earlier send. */
  resendOrdered: Schema.Boolean,
  /** Since this time an unknown process may have sent the post, so the first attempt looks before it sends. */
  reconcileFrom: NullableTimestamp,
  /** If the target was due before this time and no send is found, a person decides. If null, it is sent. */
  reconcileUntil: NullableTimestamp,
  /** The text before a change, which an unknown process may have sent. */
  reconcileText: Schema.NullOr(Schema.String),
  /** The account that the target was created for. */
  accountId: Schema.String,
  integration: Schema.Struct({
    id: IntegrationId,
    accountId: Schema.String,
    username: Schema.String,
    serviceUrl: Schema.NullOr(Schema.String),
    connected: Schema.Boolean,
    /** Changes when the account is connected again. */
    version: Schema.String
  })
})
export type Claim = typeof Claim.Type

export type OfAccount = Pick<Claim, "accountId" | "platform" | "targetId">

/** A published target whose address is still unknown. */
export const AddressLook = Schema.Struct({
  ...Struct.pick(Claim.fields, ["targetId", "workspaceId", "postId", "platform", "part", "accountId", "integration"]),
  prepared: Schema.Json,
  sentAt: Timestamp
})
export type AddressLook = typeof AddressLook.Type

export interface Send {
  readonly claim: Claim
  readonly prepared: Schema.Json
}

export const SettledPost = Schema.Struct({
  workspaceId: WorkspaceId,
  postId: PostId,
  status: PostStatus,
  content: Schema.String,
  targets: Schema.Array(
    Schema.Struct({
      platform: LivePlatform,
      status: TargetStatus,
      url: Schema.NullOr(Schema.String),
      error: Schema.NullOr(TargetError),
      integrationId: Schema.optionalKey(IntegrationId),
      /** The account's, if the target has an error. */
      username: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  )
})
export type SettledPost = typeof SettledPost.Type

export interface SettlementOfClaim {
  readonly claim: Claim
  readonly settlement: TargetSettlement
}

/** Each post once, in its final state. Nothing is written for lost claims. */
export interface SettledBatch {
  readonly posts: ReadonlyArray<SettledPost>
  readonly lost: ReadonlyArray<Claim>
}

export interface EndedTarget {
  readonly claim: Pick<Claim, "workspaceId" | "postId" | "platform" | "attempts"> & {
    readonly integration: Pick<Claim["integration"], "id"> & Partial<Pick<Claim["integration"], "username">>
    readonly part?: Claim["part"]
    /** Since this time, an earlier attempt may have published the post. */
    readonly sentAt?: Claim["sentAt"]
    readonly reconcileFrom?: Claim["reconcileFrom"]
    readonly lastRateLimited?: Claim["lastRateLimited"]
    /** The looks for an earlier send, including this attempt's. */
    readonly reconcileAttempts?: Claim["reconcileAttempts"]
  }
  readonly settlement: TargetSettlement
}

export const Backlog = Schema.Struct({
  /** Counted up to `backlogLimit`. */
  due: Schema.Int,
  /** The longest-waiting target's due time. */
  oldest: NullableTimestamp,
  /** The longest-waiting upload's earliest start. */
  oldestUpload: NullableTimestamp
})
export type Backlog = typeof Backlog.Type

export const backlogLimit = 10_000

export const maxUnresolved = 1000

export interface ClaimOwner {
  readonly id: ProcessId
  /**
   * True if it takes over claims whose owner's lease expired. Any process takes over claims whose owner ended its
   * lease.
   */
  readonly takesOver: boolean
}

export interface ClaimSlots {
  /** A platform that is absent has none. */
  readonly platforms: Readonly<Partial<Record<LivePlatform, number>>>
  /** The slots of hosts that are not in `hosts`. */
  readonly perHost: number
  readonly hosts: Readonly<Record<string, number>>
}

/** Claims before the due time, so that the claim is committed in time and has several targets. */
export interface ClaimAhead {
  readonly within: Duration.Duration
  /** Claims this long before the next due time; at most `within`. */
  readonly lead: Duration.Duration
}

export const nothingAhead: ClaimAhead = { within: Duration.zero, lead: Duration.zero }

/** Other texts that the post's other platforms show, from before the database was restored. */
export const OtherVersions = Schema.Struct({
  /** A platform that shows another text, found since this target fell due. */
  found: Schema.NullOr(LivePlatform),
  /** A platform that may show another text and was not searched yet. */
  awaited: Schema.NullOr(LivePlatform)
})
export type OtherVersions = typeof OtherVersions.Type

export const maxCompared = 100

export interface NextDue {
  /** True if claimable targets are left, or targets of a process that is gone. */
  readonly isAnyLeft: boolean
  /**
   * The next due time, or an earlier end of a claim's or process's lease, by this process's clock. The lead is
   * subtracted from a due time, unless the last claim left that target.
   */
  readonly at: Option.Option<DateTime.Utc>
}

export interface Targets {
  /**
   * Claims up to `limit` targets that are due, due `within` a time, or whose claim's lease or owner is gone: each
   * account's earliest, unless the account has one in flight. A repeated attempt ranks behind first attempts due up to
   * a minute later. An owner without a lease in the database claims nothing. Without slots, only `limit` counts.
   * Committed on return. Unreadable rows are set aside for a minute.
   */
  readonly claim: (
    limit: number,
    lease: Duration.Duration,
    options?: { readonly owner?: ClaimOwner; readonly slots?: ClaimSlots; readonly within?: ClaimAhead["within"] }
  ) => Effect.Effect<ReadonlyArray<Claim>, DatabaseUnavailable>
  /**
   * Stores the intent, renews the lease, and returns the encrypted credentials if the account is still connected. The
   * intent's time is never ahead of the database's clock, because reconciliation would then skip the post as too old.
   * Waits for a locked target.
   */
  readonly beginSend: (
    claim: Claim,
    prepared: Schema.Json,
    lease: Duration.Duration
  ) => Effect.Effect<Uint8Array | undefined, ClaimLost | DatabaseUnavailable>
  /**
   * `beginSend` for several sends in one statement. If it fails, nothing is stored. A locked target fails with
   * ClaimUncertain instead of waiting; then call `beginSend`.
   */
  readonly beginSends: (
    sends: Arr.NonEmptyReadonlyArray<Send>,
    lease: Duration.Duration
  ) => Effect.Effect<
    ReadonlyArray<Exit.Exit<Uint8Array | undefined, ClaimUncertain | DatabaseUnavailable>>,
    DatabaseUnavailable
  >
  readonly openSettling: Effect.Effect<void, DatabaseUnavailable>
  /** Commits an empty write over the settlements' connection. Fails if writes can't be stored. */
  readonly probeSettling: Effect.Effect<void, DatabaseUnavailable>
  /**
   * Writes an attempt's outcome and rolls up the post. Joins a surrounding transaction. A settlement that
   * `holdsWithoutClaim` is written by the token of the send. A post recognized on a timeline fails with ClaimLost if
   * another target has it.
   */
  readonly settle: (
    claim: Claim,
    settlement: TargetSettlement
  ) => Effect.Effect<SettledPost, ClaimLost | DatabaseUnavailable>
  /**
   * `settle` for a batch, with the writes of `record`, in one transaction. Each target occurs once, and none recognized
   * its post on a timeline.
   */
  readonly settleAll: (
    batch: Arr.NonEmptyReadonlyArray<SettlementOfClaim>,
    record: (settled: SettledBatch) => Effect.Effect<void, DatabaseUnavailable>
  ) => Effect.Effect<SettledBatch, DatabaseUnavailable>
  /** Writes a person's decision about an unknown outcome. Joins a surrounding transaction. */
  readonly resolve: (
    target: Pick<Claim, "workspaceId" | "postId" | "platform">,
    resolution: Resolution
  ) => Effect.Effect<
    { readonly posts: ReadonlyArray<SettledPost>; readonly resolved: EndedTarget },
    NotFound | PostUnreadable | InvalidState | InvalidRequest | DatabaseUnavailable
  >
  /** Schedules the post again if no target was sent or is in flight. */
  readonly release: (claim: Claim) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  /**
   * Undoes a lost claim's intent if its attempt certainly sent nothing and nobody sent since. Otherwise the next claim
   * would look for a post that does not exist, and leave it to a person. Does nothing during another attempt.
   */
  readonly withdraw: (claim: Claim) => Effect.Effect<void, DatabaseUnavailable>
  /**
   * Gives up a claim that could be neither settled nor released. This process can claim the target again after a pause;
   * others can once the lease ends.
   */
  readonly abandon: (claim: Claim) => Effect.Effect<void>
  /** Schedules each target's next look. */
  readonly dueAddresses: (limit: number) => Effect.Effect<ReadonlyArray<AddressLook>, DatabaseUnavailable>
  /** Ends the looks, unless another target of the account has the found post. */
  readonly storeAddress: (look: AddressLook, found: Publication) => Effect.Effect<void, DatabaseUnavailable>
  /** The next claim, after a claim at `since` with the same `ahead`. */
  readonly nextDue: (since: DateTime.Utc, ahead?: ClaimAhead) => Effect.Effect<NextDue, DatabaseUnavailable>
  readonly backlog: Effect.Effect<Backlog, DatabaseUnavailable>
  /** Finds ids of deleted targets too, in all workspaces. */
  readonly publishedByOthers: (
    target: OfAccount,
    platformPostIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
  /**
   * Texts of the account's other targets, in any workspace, that may be published, or are published without a known id:
   * sent at `since` or later, or perhaps by an unknown process. Includes deleted targets. The latest `maxUnresolved`.
   */
  readonly unresolvedOthers: (
    target: OfAccount,
    since: DateTime.Utc
  ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  /** The newest post with the claim's text on the account, among the workspace's last `maxCompared`. */
  readonly publishedWithText: (
    claim: Claim
  ) => Effect.Effect<
    Option.Option<{ readonly postId: PostId; readonly publishedAt: DateTime.Utc }>,
    DatabaseUnavailable
  >
  readonly otherVersions: (claim: Claim) => Effect.Effect<OtherVersions, DatabaseUnavailable>
  readonly forgetDeleted: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /** Runs `onWake` when listening begins, and whenever a process stores something due soon. Ends only by failing. */
  readonly listen: (onWake: Effect.Effect<unknown>) => Effect.Effect<never, DatabaseUnavailable>
  /**
   * Runs `onWake` as soon as this process commits an order to publish without uploads. `listen` reports it a second
   * later.
   */
  readonly listenHere: (onWake: Effect.Effect<unknown>) => Effect.Effect<never>
}
