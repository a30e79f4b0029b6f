import { Context, type DateTime, type Effect, type Redacted, type Schema } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { IntegrationId, TargetId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { PlatformError, Publication, Unavailable } from "../domain/platformError.ts"
import type { PlatformSettings } from "../domain/platformSettings.ts"

/** A connected account, with access to its stored credentials. */
export interface Account {
  readonly integrationId: IntegrationId
  /** The platform's own id of the account: a DID, or X's user id. */
  readonly accountId: string
  readonly username: string
  /** The PDS of a Bluesky account; null where the platform has one address for all. */
  readonly serviceUrl: string | null
  readonly credentials: StoredCredentials
}

/** The stored credentials of one account: an adapter's own JSON, encrypted at rest. */
export interface StoredCredentials {
  readonly current: Effect.Effect<Redacted.Redacted, Unavailable | DatabaseUnavailable>
  /**
   * Renews credentials that were found to have run out, under a lock on the account's row. If another process
   * has replaced `seen` meanwhile, its credentials are the answer and `renew` does not run. What `renew`
   * answers is stored before it is returned.
   */
  readonly refresh: <E>(
    seen: Redacted.Redacted,
    renew: Effect.Effect<Redacted.Redacted, E>
  ) => Effect.Effect<Redacted.Redacted, E | Unavailable | DatabaseUnavailable>
}

/** What a target asks to be published. */
export interface PublishRequest {
  readonly targetId: TargetId
  readonly text: string
  readonly settings: PlatformSettings
}

/** What must be stored before anything is sent, so that any process can finish or look for the same post. */
export type Prepared = Schema.Json

/** An account as the platform names it, with the credentials to store. */
export interface ConnectedAccount {
  readonly accountId: string
  readonly username: string
  readonly displayName: string | null
  readonly avatarUrl: string | null
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

/** One platform's way of publishing. */
export interface PlatformAdapter {
  /** Looks after which an unknown outcome is left to a person; where sending again is harmless, as many as there are attempts. */
  readonly maxReconcileAttempts: number
  /** What has to be stored before the first send. Sends nothing that others can see. */
  readonly prepare: (
    message: PublishRequest,
    account: Account
  ) => Effect.Effect<Prepared, PlatformError | DatabaseUnavailable>
  /** Sends, once, and only from the account that it was prepared for. Never retries by itself. */
  readonly publish: (
    prepared: Prepared,
    account: Account
  ) => Effect.Effect<Publication, PlatformError | DatabaseUnavailable>
  /**
   * Finds out whether an earlier send went through, and never makes a second copy. `sentAt` is when that send began.
   * Fails with OutcomeUnknown where the platform can't tell, and with Unavailable while another account is connected.
   */
  readonly reconcile: (
    prepared: Prepared,
    account: Account,
    sentAt: DateTime.Utc
  ) => Effect.Effect<Publication, PlatformError | DatabaseUnavailable>
}

/** The platforms that posts can be sent to. */
export class PlatformClient extends Context.Service<PlatformClient, Readonly<Record<LivePlatform, PlatformAdapter>>>()(
  "social-publisher/platforms/PlatformClient"
) {}
