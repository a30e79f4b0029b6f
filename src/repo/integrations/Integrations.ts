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

export interface FormerAccess {
  readonly platform: LivePlatform
  readonly accountId: string
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

export interface Replacement {
  readonly integration: Integration
  /** Null unless another account was replaced. */
  readonly former: FormerAccess | null
  /** Partly published posts, which can't become drafts. Their remaining parts have failed. */
  readonly failed: ReadonlyArray<SettledPost>
  /** Null unless the same account was connected again. */
  readonly unchanged: WaitingPosts | null
}

export interface Disconnection {
  readonly integration: Integration
  readonly former: FormerAccess | null
}

export interface Integrations extends CredentialStore, UnreadableCredentials {
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Integration>, DatabaseUnavailable>
  /** The platform's integration keeps its id. If another account is connected, fails and changes nothing. */
  readonly connect: (
    workspaceId: WorkspaceId,
    account: NewIntegration
  ) => Effect.Effect<Integration, AnotherAccountConnected | NotFound | DatabaseUnavailable>
  /**
   * Waiting posts move to the account with a new revision, which voids requested approvals. Posts that may have been
   * sent stay with their account. With `replaces`, fails unless that account is connected. If `account` is connected
   * already, only renews its access. Sets no timeout; joins a surrounding transaction.
   */
  readonly replaceAccount: (
    workspaceId: WorkspaceId,
    account: NewIntegration,
    choice: { readonly posts: WaitingPostsChoice; readonly replaces?: string | undefined }
  ) => Effect.Effect<Replacement, AnotherAccountConnected | OutcomePending | NotFound | DatabaseUnavailable>
  /** Does nothing if the account was connected again after `version`. Returns true if it was not marked before. */
  readonly markNeedsReconnect: (id: IntegrationId, version: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /**
   * Up to `limit` accounts whose access ends before a post that is due `within` this time; none while publishing is
   * held or a process of the previous version runs. `seed` varies the order.
   */
  readonly endingAccess: (
    within: Duration.Duration,
    limit: number,
    seed: number
  ) => Effect.Effect<ReadonlyArray<EndingAccess>, DatabaseUnavailable>
  /** In any workspace. */
  readonly isConnected: (platform: LivePlatform, accountId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  readonly get: (
    workspaceId: WorkspaceId,
    id: IntegrationId
  ) => Effect.Effect<IntegrationDetails, NotFound | DatabaseUnavailable>
  /** Deletes the credentials. Targets that fall due later fail. */
  readonly disconnect: (
    id: IntegrationId,
    workspaceId?: WorkspaceId
  ) => Effect.Effect<Disconnection, NotFound | DatabaseUnavailable>
}
