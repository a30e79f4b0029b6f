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
import type { PostingOptions } from "../domain/accounts/postingOptions.ts"
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

export interface AccountAccess {
  readonly integrationId: IntegrationId
  readonly accountId: string
  readonly username: string
  readonly serviceUrl: string | null
  readonly credentials: StoredCredentials
  readonly files: Files
}

export interface Account extends AccountAccess {
  readonly others: OtherTargets
}

/** The service's other targets on this account, in any workspace, so that a post is attributed to one target only. */
export interface OtherTargets {
  /** Returns those of the given ids that belong to other targets. */
  readonly published: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
  /**
   * Prepared texts of other targets that were sent at `since` or later and might be published. Call this before
   * `published`, or both calls can miss a target settled between them.
   */
  readonly unresolved: (since: DateTime.Utc) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
}

/** An adapter's own JSON, encrypted at rest. */
export interface StoredCredentials {
  readonly current: Effect.Effect<Redacted.Redacted, Unavailable | DatabaseUnavailable>
  /** Only one process renews: if another has replaced `stale`, returns its credentials without running `renew`. */
  readonly refresh: (
    stale: Redacted.Redacted,
    renew: Effect.Effect<RenewedAccess, PlatformError>
  ) => Effect.Effect<Redacted.Redacted, PlatformError | DatabaseUnavailable>
}

export interface PublishRequest {
  readonly targetId: TargetId
  readonly text: string
  /** The part's number, 1 by default. */
  readonly part?: number
  readonly reply?: Reply | null
  /**
   * A time before the first send, by the database's clock, because this process's clock may be fast. Now by default.
   */
  readonly notBefore?: DateTime.Utc
  readonly settings: PlatformSettings
  /** Only Bluesky shows it. */
  readonly card?: LinkCard | null
  /** A BCP 47 tag. */
  readonly language?: string | null
  readonly uploads?: Uploads | null
  /** The state from the last `Preparing`, if any. */
  readonly begun?: Schema.Json | null
  /** True if the post is only looked for. `prepare` then makes nothing on the platform. */
  readonly isSought?: boolean
}

export interface PlatformFile extends MediaFacts {
  /** The file's address in the store. */
  readonly hash: string
  readonly alt: string
}

/** The platform's references to a post's files. JSON without undefined members. */
export type Uploads = Schema.Json

export type UploadProgress = Data.TaggedEnum<{
  Uploaded: { readonly uploads: Uploads }
  /** After `askAfter`, any process calls `upload` again with `begun`. */
  Processing: { readonly begun: Schema.Json; readonly askAfter: Duration.Duration }
}>
export const { Processing, Uploaded } = Data.taggedEnum<UploadProgress>()

/** The stored form by which any process can send or reconcile the post. JSON without undefined members. */
export type Prepared = Schema.Json

/** Posts that no target of this service has sent, newest first. */
export interface UnmatchedPosts {
  readonly posts: ReadonlyArray<{ readonly id: string; readonly createdAt: DateTime.Utc; readonly text: string }>
  /** True if `posts` reach back as far as requested. */
  readonly complete: boolean
}

/** The latest limits that this process has seen in the platform's responses. */
export interface PostLimits {
  /** Limits that the response does not name stay unchanged. */
  readonly note: (account: Pick<AccountAccess, "accountId">, response: Pick<PlatformResponse, "headers">) => void
  /** The limits that have not been reset. */
  readonly of: (account: Pick<AccountAccess, "accountId">) => ReadonlyArray<PostLimit>
}

export type SendFailure = PlatformError | Accepted | DuplicateRefused | UploadsGone | DatabaseUnavailable

/** A look fails if it can't tell whether the send was carried out. */
export type LookFailure = PlatformError | Accepted | DatabaseUnavailable

export interface PlatformAdapter {
  /** Each call sends once and has a timeout. */
  readonly calls: Readonly<Record<Through, Call>>
  /** `stale` may be single-use. Only `refresh` of StoredCredentials may call this. */
  readonly renew: (
    account: Pick<AccountAccess, "accountId" | "serviceUrl">,
    stale: Redacted.Redacted
  ) => Effect.Effect<RenewedAccess, PlatformError>
  /** After this many attempts to reconcile, a person decides. If sends are idempotent, all attempts are allowed. */
  readonly maxReconcileAttempts: number
  /** The longest time for which the platform processes a post. Absent if `send` never fails with Accepted. */
  readonly longestProcessing?: Duration.Duration
  /** The pause between two parts of a thread, without which the platform would refuse the reply. */
  readonly replyPause?: Duration.Duration
  /**
   * Uploads files. Other people can't see them, so the call can be repeated. Never waits for the platform's processing,
   * which would occupy a slot. `begun` is the state of an earlier call. UploadsGone if the platform has lost that
   * upload. Absent if the platform accepts no files.
   */
  readonly upload?: (
    files: ReadonlyArray<PlatformFile>,
    account: AccountAccess,
    begun: Schema.Json | null
  ) => Effect.Effect<UploadProgress, PlatformError | UploadsGone | DatabaseUnavailable>
  /**
   * Returns the state to store before the first send. Other people see nothing of it. UploadsGone if the files must be
   * uploaded again. Preparing if the platform makes something first: any process later calls this again.
   */
  readonly prepare: (
    request: PublishRequest,
    account: Account
  ) => Effect.Effect<Prepared, PlatformError | Preparing | UploadsGone | DatabaseUnavailable>
  /** True if `prepare` makes something on the platform, unless the post is only looked for. */
  readonly preparesThere?: boolean
  /** Uploads a prepared post's files again, and returns their references. Absent if `send` never needs this. */
  readonly repeatUpload?: (
    files: ReadonlyArray<SentFile>,
    account: AccountAccess
  ) => Effect.Effect<ReadonlyArray<string>, PlatformError | UploadsGone | DatabaseUnavailable>
  /**
   * The first step of a send; its `next` returns the following step. Pure. Sends only from the account that the post
   * was prepared for. UploadsGone if the files must be uploaded again and nothing is out; Accepted if the platform is
   * processing the post.
   */
  readonly send: (prepared: Prepared, access: OpenAccess, now: DateTime.Utc) => Step<Publication, SendFailure>
  readonly sendSpan?: string
  /**
   * Asks what the account may choose for a post at the moment. Absent if all accounts of the platform have the same
   * choices; its facts say `asksOptions` otherwise.
   */
  readonly postingOptions?: (
    account: AccountAccess
  ) => Effect.Effect<PostingOptions, PlatformError | DatabaseUnavailable>
  /**
   * The accounts that a text mentions by their handles, and whether there is such an account. Absent if the platform
   * itself finds mentions.
   */
  readonly mentions?: {
    readonly find: (text: string) => ReadonlyArray<string>
    readonly isKnown: (
      handle: string,
      account: AccountAccess
    ) => Effect.Effect<boolean, PlatformError | DatabaseUnavailable>
  }
  /** Absent if threads do not wait for limits. */
  readonly postLimits?: PostLimits | undefined
  /**
   * Finds out if the send at `sentAt` was carried out, and never creates a second copy.
   * - OutcomeUnknown: the platform can't tell.
   * - Unavailable: the platform could not be asked, such as while another account is connected. Counts as no attempt.
   * - Accepted: the platform is processing the post.
   * - Dropped: the platform accepted the post and certainly did not publish it.
   */
  readonly reconcile: (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) => Effect.Effect<Publication, LookFailure | Dropped>
  /**
   * Looks for a post from a send unknown to this database, which began at `since` or later and before `until`. Sends
   * nothing. None if the platform answers that the post is not there. OutcomeUnknown, marked `otherVersion`, if the
   * post has another text; Accepted while the platform processes it.
   */
  readonly find: (
    prepared: Prepared,
    account: Account,
    since: DateTime.Utc,
    until?: DateTime.Utc
  ) => Effect.Effect<Option.Option<Publication>, LookFailure>
  /**
   * Finds the address that the publication at `publishedAt` lacked; none if the platform does not name it yet. Absent
   * if publications always have their address.
   */
  readonly findAddress?: (
    prepared: Prepared,
    account: Account,
    publishedAt: DateTime.Utc
  ) => Effect.Effect<Option.Option<Publication>, PlatformError | DatabaseUnavailable>
  /**
   * Lists a period's posts for a person to check: no target has published them, and no unresolved target has their
   * text. Absent if targets choose their posts' keys.
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
