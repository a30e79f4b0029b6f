import {
  Context,
  Data,
  type DateTime,
  type Duration,
  type Effect,
  type Option,
  type Redacted,
  type Schema
} from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { IntegrationId, TargetId } from "../domain/ids.ts"
import type { RenewedAccess } from "../domain/accounts/integration.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { MediaFacts } from "../domain/media/media.ts"
import type {
  Accepted,
  Dropped,
  DuplicateRefused,
  PlatformError,
  Preparing,
  Publication,
  Unavailable,
  UploadsGone
} from "../domain/publishing/platformError.ts"
import type { Reply } from "../domain/publishing/reply.ts"
import type { PostLimit } from "../domain/publishing/threadStart.ts"
import type { PlatformSettings } from "../domain/posts/platformSettings.ts"
import type { Call, PlatformResponse } from "./call.ts"
import type { Files } from "./MediaFiles.ts"
import type { OpenAccess, SentFile, Step, Through } from "./steps.ts"

/** Access to a connected account, by its stored credentials. */
export interface AccountAccess {
  readonly integrationId: IntegrationId
  /** The platform's own id of the account: a DID, or X's user id. */
  readonly accountId: string
  readonly username: string
  /** The PDS of a Bluesky account; null if the platform has one address for all accounts. */
  readonly serviceUrl: string | null
  readonly credentials: StoredCredentials
  /** The stored files of the account's workspace. */
  readonly files: Files
}

/** A connected account, with what is known of its posts. */
export interface Account extends AccountAccess {
  readonly others: OtherTargets
}

/**
 * What the service knows of its other targets on the same account, in whichever workspace, so that a post on a timeline is
 * attributed to one target only.
 */
export interface OtherTargets {
  /** Which of these platform ids belong to other targets. */
  readonly published: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
  /**
   * The prepared texts of other targets that were sent at `since` or later and may have been published: each may own what is
   * found. Ask before `published`, because a target that is settled between the two must not be missed by both.
   */
  readonly unresolved: (since: DateTime.Utc) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
}

/** The stored credentials of one account: an adapter's own JSON, encrypted at rest. */
export interface StoredCredentials {
  readonly current: Effect.Effect<Redacted.Redacted, Unavailable | DatabaseUnavailable>
  /**
   * Renews expired credentials, once for all processes. If another process has replaced `stale` already, this returns
   * that process's credentials and does not run `renew`.
   */
  readonly refresh: (
    stale: Redacted.Redacted,
    renew: Effect.Effect<RenewedAccess, PlatformError>
  ) => Effect.Effect<Redacted.Redacted, PlatformError | DatabaseUnavailable>
}

/** The post that a target publishes. */
export interface PublishRequest {
  readonly targetId: TargetId
  readonly text: string
  /** Which of the target's posts this is, from 1; 1 by default. */
  readonly part?: number
  /** What it replies to as a part of a thread; null or absent for a post of its own. */
  readonly reply?: Reply | null
  /** A time before its first send that this process's clock, which may be fast, does not make later. Now by default. */
  readonly notBefore?: DateTime.Utc
  readonly settings: PlatformSettings
  /** The card of the text's link, for Bluesky; null without one. */
  readonly card?: LinkCard | null
  /** The language of the text, a BCP 47 tag; null where nobody said so. */
  readonly language?: string | null
  /** What `upload` returned; null without files. */
  readonly uploads?: Uploads | null
  /** What the last `prepare` had begun; null if it has begun nothing. */
  readonly begun?: Schema.Json | null
  /** True if the post is only looked for, so that nothing has to be made for it on the platform. */
  readonly isSought?: boolean
}

/** A file as one platform gets it. */
export interface PlatformFile extends MediaFacts {
  /** The file's address in the store. */
  readonly hash: string
  /** Empty without an alternative text. */
  readonly alt: string
}

/** What a platform knows a post's files by, stored until the post is prepared. JSON without undefined members. */
export type Uploads = Schema.Json

/** How far an upload has come. */
export type UploadProgress = Data.TaggedEnum<{
  /** The platform has the files, and knows them by `uploads`. */
  Uploaded: { readonly uploads: Uploads }
  /** The platform processes a file. `upload` is called again with what has `begun`, after this time, by whichever process. */
  Processing: { readonly begun: Schema.Json; readonly askAfter: Duration.Duration }
}>
export const { Processing, Uploaded } = Data.taggedEnum<UploadProgress>()

/**
 * What must be stored before anything is sent, so that any process can send or reconcile the same post. JSON without
 * undefined members.
 */
export type Prepared = Schema.Json

/** Posts on an account that no target of this service has sent, newest first. */
export interface UnmatchedPosts {
  readonly posts: ReadonlyArray<{ readonly id: string; readonly createdAt: DateTime.Utc; readonly text: string }>
  /** Whether the account was read as far back as was asked for. */
  readonly complete: boolean
}

/** The latest limits of posts that the platform has told this process, by account. */
export interface PostLimits {
  /** Reads the headers of a response to a post. What the platform does not say stays as it was said before. */
  readonly note: (account: Pick<AccountAccess, "accountId">, response: Pick<PlatformResponse, "headers">) => void
  /** The limits of an account that have not been reset. */
  readonly of: (account: Pick<AccountAccess, "accountId">) => ReadonlyArray<PostLimit>
}

/** A reason why a send ends without a publication. */
export type SendFailure = PlatformError | Accepted | DuplicateRefused | UploadsGone | DatabaseUnavailable

/** A reason why a look for an earlier send says neither that it was carried out nor that it was not. */
export type LookFailure = PlatformError | Accepted | DatabaseUnavailable

/** How posts are published on one platform. */
export interface PlatformAdapter {
  /** The connections to the platform. Each call sends once and ends within its time. */
  readonly calls: Readonly<Record<Through, Call>>
  /** Asks the platform for new access with `stale`, which may work once. Only for `refresh` of StoredCredentials. */
  readonly renew: (
    account: Pick<AccountAccess, "accountId" | "serviceUrl">,
    stale: Redacted.Redacted
  ) => Effect.Effect<RenewedAccess, PlatformError>
  /** Reconciliation attempts before an unknown outcome is left to a person; all attempts if sending again is idempotent. */
  readonly maxReconcileAttempts: number
  /** The longest that the platform processes a post which it has taken. Absent if `send` never ends with Accepted. */
  readonly longestProcessing?: Duration.Duration
  /** The time between two parts of a thread; the platform would refuse the second one earlier. None if absent. */
  readonly replyPause?: Duration.Duration
  /**
   * Uploads the files of one post, so that only the post itself is left to be sent. Shows nothing to others, and may be repeated.
   * Never waits for a platform that processes a file: that would keep a slot from others. `begun` is what an earlier call
   * returned, null without one. Fails with UploadsGone where the platform has lost that. Absent where a platform takes no files.
   */
  readonly upload?: (
    files: ReadonlyArray<PlatformFile>,
    account: AccountAccess,
    begun: Schema.Json | null
  ) => Effect.Effect<UploadProgress, PlatformError | UploadsGone | DatabaseUnavailable>
  /**
   * Returns what has to be stored before the first send. Sends nothing that others can see. Fails with UploadsGone where the
   * post's files have to be uploaded again, and with Preparing where the platform makes something of the post first, which is never
   * waited for. It is called again then, by whichever process.
   */
  readonly prepare: (
    request: PublishRequest,
    account: Account
  ) => Effect.Effect<Prepared, PlatformError | Preparing | UploadsGone | DatabaseUnavailable>
  /** True if `prepare` makes something on the platform, which a post that is only looked for needs not. */
  readonly preparesThere?: boolean
  /** Uploads files of a prepared post again, and returns what the platform knows each of them by. Absent where `send` asks for none. */
  readonly repeatUpload?: (
    files: ReadonlyArray<SentFile>,
    account: AccountAccess
  ) => Effect.Effect<ReadonlyArray<string>, PlatformError | UploadsGone | DatabaseUnavailable>
  /**
   * The first step of a send, and with its `next` each further one. Pure. Sends only from the account that the post was prepared for. Ends
   * with UploadsGone, and nothing is out, if the post's files have to be uploaded again, and with Accepted if the platform has taken the
   * post and is still processing it.
   */
  readonly send: (prepared: Prepared, access: OpenAccess, now: DateTime.Utc) => Step<Publication, SendFailure>
  /** The name of the span of a send. */
  readonly sendSpan?: string
  /** The limits that the platform tells of posts. Absent if threads do not wait for them. */
  readonly postLimits?: PostLimits | undefined
  /**
   * Finds out whether an earlier send was carried out, and never creates a second copy. `sentAt` is when that send
   * began. Fails with OutcomeUnknown if the platform can't tell, and with Unavailable if the platform could not be
   * asked, as while another account is connected. That counts as no reconciliation attempt. Fails with Accepted while the platform is
   * processing the post, and with Dropped if it took the post and certainly did not publish it.
   */
  readonly reconcile: (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) => Effect.Effect<Publication, LookFailure | Dropped>
  /**
   * Looks for the post on the account and sends nothing: another process, which this database does not know of, may have
   * sent it at `since` or later, and began to before `until`. None if the platform answers that it is not there. Fails with
   * OutcomeUnknown, marked `otherVersion`, if the platform has it with another text, and with Accepted while the platform is processing it.
   */
  readonly find: (
    prepared: Prepared,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ) => Effect.Effect<Option.Option<Publication>, LookFailure>
  /**
   * Asks for the address of a post that is out, `publishedAt` a time, where its publication said that it follows. None while the platform
   * does not tell. Absent where a publication always has its address.
   */
  readonly findAddress?: (
    prepared: Prepared,
    account: Account,
    publishedAt: DateTime.Utc
  ) => Effect.Effect<Option.Option<Publication>, PlatformError | DatabaseUnavailable>
  /**
   * Reads what was posted on the account from `since` until `until` and is neither published by one of the account's
   * `others` nor has the text of an unresolved one, for a person to see. Absent where a post has a key of its target's own.
   */
  readonly unmatched?: (
    account: Account,
    since: DateTime.Utc,
    until: DateTime.Utc
  ) => Effect.Effect<UnmatchedPosts, PlatformError | DatabaseUnavailable>
}

/** The adapters of the platforms that posts can be sent to. */
export class PlatformClient extends Context.Service<PlatformClient, Readonly<Record<LivePlatform, PlatformAdapter>>>()(
  "social-publisher/platforms/PlatformClient"
) {}
