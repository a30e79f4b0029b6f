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

/** Access to a connected account by its stored credentials. */
export interface AccountAccess {
  readonly integrationId: IntegrationId
  /** The platform's own id: a DID, or X's user id. */
  readonly accountId: string
  readonly username: string
  /** A Bluesky account's PDS; null if all accounts share one address. */
  readonly serviceUrl: string | null
  readonly credentials: StoredCredentials
  /** The workspace's stored files. */
  readonly files: Files
}

/** A connected account, with knowledge of its posts. */
export interface Account extends AccountAccess {
  readonly others: OtherTargets
}

/**
 * The service's other targets on the same account, in any workspace, so that a post on a timeline is attributed to one
 * target only.
 */
export interface OtherTargets {
  /** The given ids that belong to other targets. */
  readonly published: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
  /**
   * The prepared texts of other targets that were sent at `since` or later and may be published: each may own a found
   * post. Ask before `published`, or both could miss a target that is settled in between.
   */
  readonly unresolved: (since: DateTime.Utc) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
}

/** One account's stored credentials: an adapter's own JSON, encrypted at rest. */
export interface StoredCredentials {
  readonly current: Effect.Effect<Redacted.Redacted, Unavailable | DatabaseUnavailable>
  /**
   * Renews expired credentials, once for all processes. If another process has replaced `stale`, returns its
   * credentials without running `renew`.
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
  /** The part of the thread, from 1; 1 by default. */
  readonly part?: number
  /** The post that this part replies to; null or absent without one. */
  readonly reply?: Reply | null
  /**
   * A time before the first send that is not later than the database's, though this process's clock may be fast. Now by
   * default.
   */
  readonly notBefore?: DateTime.Utc
  readonly settings: PlatformSettings
  /** The card of the text's link, for Bluesky. */
  readonly card?: LinkCard | null
  /** The text's language, a BCP 47 tag; null if unknown. */
  readonly language?: string | null
  /** From `upload`; null without files. */
  readonly uploads?: Uploads | null
  /** The state of the last `prepare`; null if it began nothing. */
  readonly begun?: Schema.Json | null
  /** True if the post is only looked for, so that nothing has to be made on the platform. */
  readonly isSought?: boolean
}

/** A file in its form for one platform. */
export interface PlatformFile extends MediaFacts {
  /** The file's address in the store. */
  readonly hash: string
  /** Empty without an alternative text. */
  readonly alt: string
}

/** The platform's references to a post's files, stored until the post is prepared. JSON without undefined members. */
export type Uploads = Schema.Json

export type UploadProgress = Data.TaggedEnum<{
  /** The platform has the files, as `uploads`. */
  Uploaded: { readonly uploads: Uploads }
  /** The platform processes a file. Any process calls `upload` again with `begun` after this time. */
  Processing: { readonly begun: Schema.Json; readonly askAfter: Duration.Duration }
}>
export const { Processing, Uploaded } = Data.taggedEnum<UploadProgress>()

/**
 * Stored before anything is sent, so that any process can send or reconcile the same post. JSON without undefined
 * members.
 */
export type Prepared = Schema.Json

/** Posts on an account that no target of this service has sent, newest first. */
export interface UnmatchedPosts {
  readonly posts: ReadonlyArray<{ readonly id: string; readonly createdAt: DateTime.Utc; readonly text: string }>
  /** True if the account was read as far back as requested. */
  readonly complete: boolean
}

/** The latest limits that the platform has told this process, by account. */
export interface PostLimits {
  /** Reads a response to a post. Limits that it does not name stay as they were. */
  readonly note: (account: Pick<AccountAccess, "accountId">, response: Pick<PlatformResponse, "headers">) => void
  /** An account's limits that have not been reset. */
  readonly of: (account: Pick<AccountAccess, "accountId">) => ReadonlyArray<PostLimit>
}

/** A send without a publication. */
export type SendFailure = PlatformError | Accepted | DuplicateRefused | UploadsGone | DatabaseUnavailable

/** A look that says neither that an earlier send was carried out nor that it was not. */
export type LookFailure = PlatformError | Accepted | DatabaseUnavailable

/** Publishes posts on one platform. */
export interface PlatformAdapter {
  /** Each call sends once and has a timeout. */
  readonly calls: Readonly<Record<Through, Call>>
  /** Asks for new access with `stale`, which may work once. Only for `refresh` of StoredCredentials. */
  readonly renew: (
    account: Pick<AccountAccess, "accountId" | "serviceUrl">,
    stale: Redacted.Redacted
  ) => Effect.Effect<RenewedAccess, PlatformError>
  /** Reconciliations before an unknown outcome is left to a person; all attempts if sending again is idempotent. */
  readonly maxReconcileAttempts: number
  /** The longest that the platform processes a post that it took. Absent if `send` never ends with Accepted. */
  readonly longestProcessing?: Duration.Duration
  /** The pause between two parts of a thread, as the platform would refuse the second one earlier. */
  readonly replyPause?: Duration.Duration
  /**
   * Uploads the files of one post ahead of it. Others see nothing, and it may be repeated. Never waits while the
   * platform processes a file, which would keep a slot from others. `begun` is the state of an earlier call, or null.
   * UploadsGone if the platform has lost that. Absent if the platform takes no files.
   */
  readonly upload?: (
    files: ReadonlyArray<PlatformFile>,
    account: AccountAccess,
    begun: Schema.Json | null
  ) => Effect.Effect<UploadProgress, PlatformError | UploadsGone | DatabaseUnavailable>
  /**
   * Returns the state to store before the first send. Sends nothing that others can see. UploadsGone if the files have
   * to be uploaded again. Preparing if the platform makes something of the post first, which is never waited for: any
   * process calls this again.
   */
  readonly prepare: (
    request: PublishRequest,
    account: Account
  ) => Effect.Effect<Prepared, PlatformError | Preparing | UploadsGone | DatabaseUnavailable>
  /** True if `prepare` makes something on the platform, which a post that is only looked for does not need. */
  readonly preparesThere?: boolean
  /** Uploads files of a prepared post again and returns their references. Absent if `send` never asks for it. */
  readonly repeatUpload?: (
    files: ReadonlyArray<SentFile>,
    account: AccountAccess
  ) => Effect.Effect<ReadonlyArray<string>, PlatformError | UploadsGone | DatabaseUnavailable>
  /**
   * The first step of a send; `next` gives each further one. Pure. Sends only from the account that the post was
   * prepared for. UploadsGone if the files have to be uploaded again and nothing is out; Accepted if the platform took
   * the post and is processing it.
   */
  readonly send: (prepared: Prepared, access: OpenAccess, now: DateTime.Utc) => Step<Publication, SendFailure>
  /** The span name of a send. */
  readonly sendSpan?: string
  /** Absent if threads do not wait for limits. */
  readonly postLimits?: PostLimits | undefined
  /**
   * Finds out if the send that began at `sentAt` was carried out, and never creates a second copy.
   * - OutcomeUnknown: the platform can't tell.
   * - Unavailable: the platform could not be asked, as while another account is connected. Counts as no attempt.
   * - Accepted: the platform is processing the post.
   * - Dropped: the platform took the post and certainly did not publish it.
   */
  readonly reconcile: (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) => Effect.Effect<Publication, LookFailure | Dropped>
  /**
   * Looks for a post that a process unknown to this database may have sent: it began at `since` or later and before
   * `until`. Sends nothing. None if the platform answers that it is not there. OutcomeUnknown, marked `otherVersion`,
   * if the platform has it with another text; Accepted while the platform processes it.
   */
  readonly find: (
    prepared: Prepared,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ) => Effect.Effect<Option.Option<Publication>, LookFailure>
  /**
   * Asks for the address of a post published at `publishedAt` whose publication said that it follows. None if the
   * platform does not tell yet. Absent if publications always have an address.
   */
  readonly findAddress?: (
    prepared: Prepared,
    account: Account,
    publishedAt: DateTime.Utc
  ) => Effect.Effect<Option.Option<Publication>, PlatformError | DatabaseUnavailable>
  /**
   * Posts on the account from `since` until `until` that are neither published by its `others` nor have the text of an
   * unresolved one, for a person to see. Absent if targets choose their posts' keys.
   */
  readonly unmatched?: (
    account: Account,
    since: DateTime.Utc,
    until: DateTime.Utc
  ) => Effect.Effect<UnmatchedPosts, PlatformError | DatabaseUnavailable>
}

export class PlatformClient extends Context.Service<PlatformClient, Readonly<Record<LivePlatform, PlatformAdapter>>>()(
  "social-publisher/platforms/PlatformClient"
) {}
