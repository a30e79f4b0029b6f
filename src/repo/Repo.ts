import { Context, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { type ApiKeys, makeApiKeys } from "./apiKeys/apiKeys.ts"
import { makeApiKeyLookup } from "./apiKeys/lookup.ts"
import type { Channels } from "./channels/Channels.ts"
import { makeChannels } from "./channels/makeChannels.ts"
import type { Events } from "./events/Events.ts"
import { makeEvents } from "./events/makeEvents.ts"
import { type Examples, makeExamples } from "./examples.ts"
import { type Idempotency, makeIdempotency } from "./idempotency.ts"
import { type AccountChanges, makeAccountChanges } from "./integrations/accountChanges.ts"
import { type ExpiringAccess, makeExpiringAccess } from "./integrations/expiringAccess.ts"
import { type AccountNotices, makeAccountNotices } from "./integrations/accountNotices.ts"
import { type Avatars, makeAvatars } from "./integrations/avatars.ts"
import type { Integrations } from "./integrations/Integrations.ts"
import { makeIntegrations } from "./integrations/makeIntegrations.ts"
import { makeOAuthStates, type OAuthStates } from "./integrations/oauthStates.ts"
import { makeProfiles, type Profiles } from "./integrations/profiles.ts"
import { type FileLinks, makeFileLinks } from "./media/fileLinks.ts"
import { makeMedia } from "./media/makeMedia.ts"
import type { Media } from "./media/Media.ts"
import type { Deliveries } from "./notifications/Deliveries.ts"
import { type ApprovalReminders, makeApprovalReminders } from "./notifications/approvalReminders.ts"
import { makeDeliveries } from "./notifications/makeDeliveries.ts"
import { type ChatLog, type MailLog, makeChatLog, makeMailLog } from "./notifications/deliveryLog.ts"
import { type MailPreferences, makeMailPreferences } from "./notifications/mailPreferences.ts"
import { makeNotifications, type Notifications } from "./notifications/notifications.ts"
import { makeOverdueDrafts, type OverdueDrafts } from "./notifications/overdueDrafts.ts"
import type { Outlooks } from "./outlooks/OutlookRuns.ts"
import { makeOutlooks } from "./outlooks/outlooks.ts"
import { makeAuthority, type WhileAuthorized } from "./people/authority.ts"
import { type Callers, makeCallers } from "./people/callers.ts"
import { type Invites, makeInvites } from "./people/invites.ts"
import { makeMembers, type Members } from "./people/members.ts"
import { makeOwnProfiles, type OwnProfiles } from "./people/ownProfiles.ts"
import { makePasswordResets, type PasswordResets } from "./people/passwordResets.ts"
import { makeSessions, type Sessions } from "./people/sessions.ts"
import { makeUsers, type Users } from "./people/users.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { makePosts } from "./posts/makePosts.ts"
import type { Posts } from "./posts/Posts.ts"
import { makeProcesses, type Processes } from "./processes.ts"
import { makePublishingState, type PublishingState } from "./publishingState.ts"
import { makeQueues, type Queues } from "./queues/queues.ts"
import { makeDueHere } from "./targets/dueChannel.ts"
import { makeTargets } from "./targets/makeTargets.ts"
import type { Targets } from "./targets/Targets.ts"
import { makePlatformUploads } from "./platformUploads/makePlatformUploads.ts"
import type { PlatformUploads } from "./platformUploads/PlatformUploads.ts"
import { makeWebhooks } from "./webhooks/makeWebhooks.ts"
import type { Webhooks } from "./webhooks/Webhooks.ts"
import { makeWorkspaces, type Workspaces } from "./workspaces.ts"

export class Repo extends Context.Service<
  Repo,
  {
    readonly workspaces: Workspaces
    readonly apiKeys: ApiKeys
    readonly integrations: Integrations
    readonly oauthStates: OAuthStates
    readonly accountChanges: AccountChanges
    readonly expiringAccess: ExpiringAccess
    readonly accountNotices: AccountNotices
    readonly profiles: Profiles
    readonly avatars: Avatars
    readonly posts: Posts
    readonly queues: Queues
    readonly targets: Targets
    readonly media: Media
    readonly fileLinks: FileLinks
    readonly platformUploads: PlatformUploads
    readonly processes: Processes
    readonly publishingState: PublishingState
    readonly notifications: Notifications
    readonly deliveries: Deliveries
    readonly mailLog: MailLog
    readonly chatLog: ChatLog
    readonly channels: Channels
    readonly mailPreferences: MailPreferences
    readonly overdueDrafts: OverdueDrafts
    readonly approvalReminders: ApprovalReminders
    readonly outlooks: Outlooks
    readonly events: Events
    readonly webhooks: Webhooks
    readonly callers: Callers
    readonly members: Members
    readonly invites: Invites
    readonly passwordResets: PasswordResets
    readonly users: Users
    readonly sessions: Sessions
    readonly ownProfiles: OwnProfiles
    readonly idempotency: Idempotency
    readonly examples: Examples
    readonly whileAuthorized: WhileAuthorized
    /** `timeout` covers the whole transaction: 8 s by default. */
    readonly transaction: <A, E, R>(
      effect: Effect.Effect<A, E, R>,
      timeout?: Duration.Duration
    ) => Effect.Effect<A, E | DatabaseUnavailable, R>
    readonly ping: Effect.Effect<void, DatabaseUnavailable>
  }
>()("social-publisher/repo/Repo") {
  static readonly layer = Layer.effect(
    Repo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const publishingState = yield* makePublishingState
      const dueHere = yield* makeDueHere
      const keyLookup = yield* makeApiKeyLookup
      const { whileAuthorized } = yield* makeAuthority
      return Repo.of({
        workspaces: yield* makeWorkspaces,
        apiKeys: yield* makeApiKeys(keyLookup),
        integrations: yield* makeIntegrations,
        oauthStates: yield* makeOAuthStates,
        accountChanges: yield* makeAccountChanges,
        expiringAccess: yield* makeExpiringAccess,
        accountNotices: yield* makeAccountNotices,
        profiles: yield* makeProfiles,
        avatars: yield* makeAvatars,
        posts: yield* makePosts(dueHere),
        queues: yield* makeQueues,
        targets: yield* makeTargets(dueHere),
        media: yield* makeMedia,
        fileLinks: yield* makeFileLinks,
        platformUploads: yield* makePlatformUploads,
        processes: yield* makeProcesses(publishingState.lookAfterGap),
        publishingState,
        notifications: yield* makeNotifications,
        deliveries: yield* makeDeliveries,
        mailLog: yield* makeMailLog,
        chatLog: yield* makeChatLog,
        channels: yield* makeChannels,
        mailPreferences: yield* makeMailPreferences,
        overdueDrafts: yield* makeOverdueDrafts,
        approvalReminders: yield* makeApprovalReminders,
        outlooks: yield* makeOutlooks,
        events: yield* makeEvents,
        webhooks: yield* makeWebhooks,
        callers: yield* makeCallers,
        members: yield* makeMembers(keyLookup.forgetAll),
        invites: yield* makeInvites,
        passwordResets: yield* makePasswordResets,
        users: yield* makeUsers,
        sessions: yield* makeSessions,
        ownProfiles: yield* makeOwnProfiles,
        idempotency: yield* makeIdempotency,
        examples: yield* makeExamples,
        whileAuthorized,
        transaction: (effect, timeout) => withDatabaseTimeout("a transaction", timeout)(sql.withTransaction(effect)),
        ping: Effect.asVoid(withDatabaseTimeout("a ping")(sql`SELECT 1`))
      })
    })
  )
}
