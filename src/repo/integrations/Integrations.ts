import type { Duration, Effect, Redacted } from "effect"
import type {
  AnotherAccountConnected,
  OutcomePending,
  WaitingPosts,
  WaitingPostsChoice
} from "../../domain/accounts/accountChange.ts"
import type { DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import type { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import type { ConnectedAccount, Integration, IntegrationDetails } from "../../domain/accounts/integration.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import type { SettledPost } from "../targets/Targets.ts"
import type { CredentialStore } from "./credentialStore.ts"
import type { EndingAccess } from "./endingAccess.ts"
import type { UnreadableCredentials } from "./unreadableCredentials.ts"

export interface NewIntegration extends ConnectedAccount {
  readonly platform: LivePlatform
}

/** An account's access to its platform, which the service does not need any more. */
export interface FormerAccess {
  readonly platform: LivePlatform
  readonly accountId: string
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

export interface Replacement {
  readonly integration: Integration
  /** Null where the same account was connected, or none. */
  readonly former: FormerAccess | null
  /** Posts that were partly published and can't become drafts: what was left of them has failed. */
  readonly failed: ReadonlyArray<SettledPost>
  /** What waits for the account and was not changed, where the same one was connected; otherwise null. */
  readonly unchanged: WaitingPosts | null
}

export interface Disconnection {
  /** The account as it was before. */
  readonly integration: Integration
  /** Null where the stored credentials can't be decrypted. */
  readonly former: FormerAccess | null
}

export interface Integrations extends CredentialStore, UnreadableCredentials {
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Integration>, DatabaseUnavailable>
  /**
   * Connects an account; a platform that the workspace connected before keeps its integration's id. Fails, and changes
   * nothing, where that was another account.
   */
  readonly connect: (
    workspaceId: WorkspaceId,
    account: NewIntegration
  ) => Effect.Effect<Integration, AnotherAccountConnected | NotFound | DatabaseUnavailable>
  /**
   * Connects an account in place of another one. Everything that waits moves to it, and its revision grows: a
   * requested approval is of an earlier one. What may have been sent stays with its account. With `replaces`, fails where the account to replace
   * is not that one. Where the account is the connected one already, that only renews its access. Sets no timeout; joins the surrounding transaction, if there is one.
   */
  readonly replaceAccount: (
    workspaceId: WorkspaceId,
    account: NewIntegration,
    choice: { readonly posts: WaitingPostsChoice; readonly replaces?: string | undefined }
  ) => Effect.Effect<Replacement, AnotherAccountConnected | OutcomePending | NotFound | DatabaseUnavailable>
  /**
   * Records that the platform has refused the credentials, unless the account was connected again after the given version;
   * returns whether that was not recorded before.
   */
  readonly markNeedsReconnect: (id: IntegrationId, version: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /**
   * Up to `limit` connected accounts with a post `within` this time whose access ends before that, in an order that
   * depends on `seed`. None while publishing is held, or a process of the version before runs.
   */
  readonly endingAccess: (
    within: Duration.Duration,
    limit: number,
    seed: number
  ) => Effect.Effect<ReadonlyArray<EndingAccess>, DatabaseUnavailable>
  /** Whether any workspace has the account connected. */
  readonly isConnected: (platform: LivePlatform, accountId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /** A connected account with its posts. */
  readonly get: (
    workspaceId: WorkspaceId,
    id: IntegrationId
  ) => Effect.Effect<IntegrationDetails, NotFound | DatabaseUnavailable>
  /** Deletes an account's credentials, if it is the given workspace's; targets that fall due for it afterwards fail. */
  readonly disconnect: (
    id: IntegrationId,
    workspaceId?: WorkspaceId
  ) => Effect.Effect<Disconnection, NotFound | DatabaseUnavailable>
}
