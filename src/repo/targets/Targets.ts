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
  /** The fencing token: a write that names another one is refused. */
  token: ClaimToken,
  /** The end of the lease by this process's clock. */
  leaseUntil: Timestamp,
  /** The process lease that holds the claim; null where the claim has only a lease of its own. */
  ownerId: Schema.NullOr(ProcessId),
  workspaceId: WorkspaceId,
  postId: PostId,
  platform: LivePlatform,
  /** The host that serves the account's requests; the platform's name where all of its accounts share one. */
  host: Schema.String,
  /** Which post of its thread the claim is about, from 1, and how many there are: a post without a thread is its only part. */
  part: Schema.Int,
  parts: Schema.Int,
  /** Whether its post has a thread, also where the platform gets the post's content alone. */
  isThread: Schema.Boolean,
  /** What the part replies to; null for a post of its own. */
  reply: Schema.NullOr(Reply),
  /** The part's text, as the files and the card are. */
  text: Schema.String,
  settings: PlatformSettings,
  media: Schema.Array(PostMedia),
  /** The card of the post's link on Bluesky. */
  card: Schema.NullOr(LinkCard),
  /** The language that the workspace writes in, a BCP 47 tag; null where nobody said so. */
  language: Schema.NullOr(Schema.String),
  /** Attempts so far, this one included. */
  attempts: Schema.Int,
  /** Whether a rate limit is why it was pending: the platform named it in a 429, or fewer posts remained than a thread has parts. */
  lastRateLimited: Schema.Boolean,
  /** How many of the attempts reconcile an earlier send whose outcome is unknown. */
  reconcileAttempts: Schema.Int,
  /**
   * When it may be sent, in milliseconds of this process's monotonic clock: its due time, or that of the claim's response where it was
   * due already.
   */
  dueFrom: Schema.Finite,
  /** When it was claimed, by the earlier one of this process's clock and the database's. Nothing was sent under the claim before. */
  claimedAt: Timestamp,
  /** When it was first due, by this process's clock: shifted by as much as that is ahead of the database's. */
  dueSince: Timestamp,
  /** What is to be sent, or what became of its files; null where nothing was prepared. `readStored` tells which. */
  prepared: Schema.NullOr(Schema.Json),
  /** When an earlier send began whose outcome is unknown. */
  sentAt: NullableTimestamp,
  /** When the platform began to process the post, or what it is published from; null if it does not. */
  processingSince: NullableTimestamp,
  /** Whether to send again in case reconciliation does not find the earlier send. */
  resendOrdered: Schema.Boolean,
  /** A process that this database does not know of may have sent it since then, so the first attempt looks before it sends. */
  reconcileFrom: NullableTimestamp,
  /** What was due before this and is not found on the platform is left to a person; null if it is sent then. */
  reconcileUntil: NullableTimestamp,
  /** A text of the post that such a process may have sent, from before the post was changed; null if it was not changed. */
  reconcileText: Schema.NullOr(Schema.String),
  /** The platform's own id of the account that the target was created for. */
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

/** What identifies a target among those of its account. */
export type OfAccount = Pick<Claim, "accountId" | "platform" | "targetId">

/** A target that is out, and whose platform is asked for its address. */
export const AddressLook = Schema.Struct({
  ...Struct.pick(Claim.fields, ["targetId", "workspaceId", "postId", "platform", "part", "accountId", "integration"]),
  /** What was sent. */
  prepared: Schema.Json,
  sentAt: Timestamp
})
export type AddressLook = typeof AddressLook.Type

/** A claim whose send begins, and what is sent. */
export interface Send {
  readonly claim: Claim
  readonly prepared: Schema.Json
}

/** A post as a settlement left it. */
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
      /** The account that it goes out from, where a settlement has read it. */
      integrationId: Schema.optionalKey(IntegrationId)
    })
  )
})
export type SettledPost = typeof SettledPost.Type

/** What becomes of a claimed target. */
export interface SettlementOfClaim {
  readonly claim: Claim
  readonly settlement: TargetSettlement
}

/** Each post of a batch of settlements once, as all of them left it, and the claims that were lost, of which nothing is written. */
export interface SettledBatch {
  readonly posts: ReadonlyArray<SettledPost>
  readonly lost: ReadonlyArray<Claim>
}

/** What a target came to, and what names it. */
export interface EndedTarget {
  readonly claim: Pick<Claim, "workspaceId" | "postId" | "platform" | "attempts"> & {
    readonly integration: Pick<Claim["integration"], "id"> & Partial<Pick<Claim["integration"], "username">>
    /** The part of the thread that was settled. */
    readonly part?: Claim["part"]
    /** Since when an earlier attempt may have published the post. */
    readonly sentAt?: Claim["sentAt"]
    readonly reconcileFrom?: Claim["reconcileFrom"]
    readonly lastRateLimited?: Claim["lastRateLimited"]
  }
  readonly settlement: TargetSettlement
}

/** Targets that are due and that no process works on. */
export const Backlog = Schema.Struct({
  /** How many there are, counted up to `backlogLimit`. */
  due: Schema.Int,
  /** When the target that has waited longest fell due; null where none is due. */
  oldest: NullableTimestamp,
  /** When the upload that has waited longest could have begun; null where none waits. */
  oldestUpload: NullableTimestamp
})
export type Backlog = typeof Backlog.Type

/** How far the backlog is counted, which limits the cost of counting a long one. */
export const backlogLimit = 10_000

/** How many unresolved targets of one account are read. */
export const maxUnresolved = 1000

/** The process that claims. */
export interface ClaimOwner {
  readonly id: ProcessId
  /** Whether claims whose owner let its lease expire may be taken over. Those whose owner's lease was ended always may. */
  readonly takesOver: boolean
}

/** How many targets a claim may take of each platform and of each host. */
export interface ClaimSlots {
  readonly platforms: Readonly<Record<LivePlatform, number>>
  /** The slots of each host that is not in `hosts`. */
  readonly perHost: number
  readonly hosts: Readonly<Record<string, number>>
}

/** How long before targets are due they are claimed, so that the claim is made by then and one serves several. */
export interface ClaimAhead {
  /** What falls due within this time is claimed along. */
  readonly within: Duration.Duration
  /** How long before the next target is due its claim begins: at most `within`. */
  readonly lead: Duration.Duration
}

export const nothingAhead: ClaimAhead = { within: Duration.zero, lead: Duration.zero }

/** What the other targets of a post know of the versions in which it went out before the database was restored. */
export const OtherVersions = Schema.Struct({
  /** A platform that shows the post with another text, found since this target fell due. */
  found: Schema.NullOr(LivePlatform),
  /** A platform that may show another text, and was not looked at yet. */
  awaited: Schema.NullOr(LivePlatform)
})
export type OtherVersions = typeof OtherVersions.Type

/** How many published posts of one account are compared with a text. */
export const maxCompared = 100

export interface NextDue {
  /** Whether targets were due then already, or so soon that they could be claimed, and are not claimed, or by a process that is gone. */
  readonly isAnyLeft: boolean
  /**
   * When the next target that fell or falls due since then is to be claimed: at its time, or ahead of that if it is not among what is left.
   * Or when the next lease of a claim expired or expires since then, or that of a process expires. By this process's clock: shifted by as
   * much as that is ahead of the database's.
   */
  readonly at: Option.Option<DateTime.Utc>
}

export interface Targets {
  /**
   * Claims up to `limit` targets that are due, or will be `within` a time, or whose claim's lease or owner is gone, each for the length
   * of the lease: of every account the earliest one, and none of an account that has one in flight. Repeated attempts rank
   * behind first ones that fell due up to a minute later. An owner whose lease the database does not hold claims nothing. Without an owner a claim has its own lease alone,
   * and without slots only `limit` counts. One round trip; committed when it returns.
   *
   * A row that can't be decoded is set aside for a minute, as if it had not been claimed, and the others are returned.
   */
  readonly claim: (
    limit: number,
    lease: Duration.Duration,
    options?: { readonly owner?: ClaimOwner; readonly slots?: ClaimSlots; readonly within?: ClaimAhead["within"] }
  ) => Effect.Effect<ReadonlyArray<Claim>, DatabaseUnavailable>
  /**
   * Stores what is about to be sent and the time of sending, and renews the lease; looking before a first send is done. The
   * time is never ahead of the database's clock: with a later one, reconciliation would pass over the post on the platform's
   * timeline as an older one. Waits for a target that another transaction has locked. Returns the account's encrypted credentials while it
   * is the connected one and has any.
   */
  readonly beginSend: (
    claim: Claim,
    prepared: Schema.Json,
    lease: Duration.Duration
  ) => Effect.Effect<Uint8Array | undefined, ClaimLost | DatabaseUnavailable>
  /**
   * The same for sends that begin together, in one statement: returns the result of each in their order. If one of them can't be written,
   * all fail, and nothing is stored. None waits for a target that another transaction has locked, and fails with ClaimUncertain: `beginSend` can tell.
   */
  readonly beginSends: (
    sends: Arr.NonEmptyReadonlyArray<Send>,
    lease: Duration.Duration
  ) => Effect.Effect<
    ReadonlyArray<Exit.Exit<Uint8Array | undefined, ClaimUncertain | DatabaseUnavailable>>,
    DatabaseUnavailable
  >
  /** Opens the connection over which `settleAll` writes, unless it is open. */
  readonly openSettling: Effect.Effect<void, DatabaseUnavailable>
  /** Commits a small write over that connection, which changes nothing. Fails where no write can be stored. */
  readonly probeSettling: Effect.Effect<void, DatabaseUnavailable>
  /**
   * Writes the outcome of an attempt and rolls up the post's status. Joins the surrounding transaction, if there is one. What
   * `holdsWithoutClaim` is written also after the claim was lost, by the token of the send. A post that was recognized on a
   * timeline fails with ClaimLost if another target of the account got it meanwhile.
   */
  readonly settle: (
    claim: Claim,
    settlement: TargetSettlement
  ) => Effect.Effect<SettledPost, ClaimLost | DatabaseUnavailable>
  /**
   * The same for a batch in a transaction of its own, together with what `record` writes about it. Each target is one member at most,
   * and none recognized its post on a timeline.
   */
  readonly settleAll: (
    batch: Arr.NonEmptyReadonlyArray<SettlementOfClaim>,
    record: (settled: SettledBatch) => Effect.Effect<void, DatabaseUnavailable>
  ) => Effect.Effect<SettledBatch, DatabaseUnavailable>
  /**
   * Writes what a person has found out about a failed target whose outcome is unknown, and rolls up the post's status. Joins
   * the surrounding transaction, if there is one.
   */
  readonly resolve: (
    target: Pick<Claim, "workspaceId" | "postId" | "platform">,
    resolution: Resolution
  ) => Effect.Effect<
    { readonly posts: ReadonlyArray<SettledPost>; readonly resolved: EndedTarget },
    NotFound | PostUnreadable | InvalidState | InvalidRequest | DatabaseUnavailable
  >
  /**
   * Returns a target to the queue as if it had not been claimed. Its post is scheduled again if none of its targets was sent or
   * is in flight.
   */
  readonly release: (claim: Claim) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  /**
   * Undoes the intent to send of a claim that was lost, where its attempt is known to have sent nothing and nobody has sent since:
   * whoever took the target over would look for a post that does not exist, and leave it to a person. Does nothing otherwise, nor while another
   * attempt is in flight.
   */
  readonly withdraw: (claim: Claim) => Effect.Effect<void, DatabaseUnavailable>
  /**
   * Gives up a claim that could be neither settled nor released. After a short pause this process may claim the target as if its
   * owner were gone, and others once the lease ends.
   */
  readonly abandon: (claim: Claim) => Effect.Effect<void>
  /** Takes up to `limit` targets whose platforms are to be asked for their addresses now, and orders the next look for each. */
  readonly dueAddresses: (limit: number) => Effect.Effect<ReadonlyArray<AddressLook>, DatabaseUnavailable>
  /** Stores what a look has found, and ends the looks. Does nothing where another target of the account has that post. */
  readonly storeAddress: (look: AddressLook, found: Publication) => Effect.Effect<void, DatabaseUnavailable>
  /** What is due after a claim that was made at `since`, so long ahead; without `ahead`, of what was due by then. */
  readonly nextDue: (since: DateTime.Utc, ahead?: ClaimAhead) => Effect.Effect<NextDue, DatabaseUnavailable>
  readonly backlog: Effect.Effect<Backlog, DatabaseUnavailable>
  /** Which of these platform ids belong to other targets on the same account, in whichever workspace, deleted ones too. */
  readonly publishedByOthers: (
    target: OfAccount,
    platformPostIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
  /**
   * The texts of other targets on the same account, in whichever workspace, that may have been published or are out without a known id: last sent at
   * `since` or later, or perhaps sent by a process that this database does not know of. Deleted ones count too. Of up to
   * `maxUnresolved` targets, the latest first.
   */
  readonly unresolvedOthers: (
    target: OfAccount,
    since: DateTime.Utc
  ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  /** The workspace's newest published post on the same account with the claim's text, among its last `maxCompared`. */
  readonly publishedWithText: (
    claim: Claim
  ) => Effect.Effect<
    Option.Option<{ readonly postId: PostId; readonly publishedAt: DateTime.Utc }>,
    DatabaseUnavailable
  >
  /** What is known of the versions in which the claim's post went out on its other platforms. */
  readonly otherVersions: (claim: Claim) => Effect.Effect<OtherVersions, DatabaseUnavailable>
  /**
   * Forgets up to `limit` targets that were deleted before a time, and what they own on their platform. Returns how many it
   * forgot.
   */
  readonly forgetDeleted: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /**
   * Runs `onWake` once listening has begun, and whenever any process stores something that is due soon; ends only by
   * failing.
   */
  readonly listen: (onWake: Effect.Effect<unknown>) => Effect.Effect<never, DatabaseUnavailable>
  /**
   * Runs `onWake` as soon as this process has committed an order to publish a post that nothing has to be uploaded for. Listening
   * tells it of the same order a second later.
   */
  readonly listenHere: (onWake: Effect.Effect<unknown>) => Effect.Effect<never>
}
