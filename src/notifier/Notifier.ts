import { Array as Arr, Context, type DateTime, Effect, Layer } from "effect"
import type { Author } from "../domain/people/actor.ts"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { IntegrationId, PostId, WorkspaceId } from "../domain/ids.ts"
import { tellsOpen } from "../domain/publishing/settlement.ts"
import type { ExpiringAccount } from "../repo/integrations/expiringAccess.ts"
import type { DisabledChannel } from "../repo/notifications/Deliveries.ts"
import type { NewNotification } from "../repo/notifications/notifications.ts"
import { Repo } from "../repo/Repo.ts"
import type { EndedTarget, SettledPost } from "../repo/targets/Targets.ts"
import type { DisabledWebhook } from "../repo/webhooks/Webhooks.ts"
import {
  approvalRequested,
  channelDisabled,
  integrationDisconnected,
  integrationExpiring,
  listFailures,
  mediaNotAllowed,
  type NamedAccount,
  postFailed,
  postPublished,
  postUnconfirmed,
  webhookDisabled
} from "./messages.ts"
import { eventsOfSettlements } from "./settledEvents.ts"

/** The account to reconnect, if the post failed for nothing else. */
const failedAccount = (post: SettledPost, settled: ReadonlyArray<EndedTarget>): IntegrationId | undefined => {
  const [failure, ...others] = listFailures(post)
  if (failure?.code !== "needs_reconnect" || others.length > 0) return undefined
  // The failed target may have settled before the target that ended the post.
  const target = post.targets.find(({ platform }) => platform === failure.platform)
  const ended = settled.find(({ claim }) => claim.postId === post.postId && claim.platform === failure.platform)
  return target?.integrationId ?? ended?.claim.integration.id
}

const notificationOfEnd = (post: SettledPost, settled: ReadonlyArray<EndedTarget>): NewNotification | undefined => {
  switch (post.status) {
    case "published":
      return postPublished(post)
    case "failed": {
      const failures = listFailures(post)
      return Arr.isReadonlyArrayNonEmpty(failures)
        ? postFailed(post, failures, failedAccount(post, settled))
        : undefined
    }
    default:
      return undefined
  }
}

/** The targets whose open outcome people are told about. Few are. */
const openTargets = (settled: ReadonlyArray<EndedTarget>) =>
  settled.flatMap(({ claim, settlement }) =>
    tellsOpen(settlement, claim.reconcileAttempts ?? 0) ? [{ claim, message: settlement.error.message }] : []
  )

type NotifyOfAccount = (
  workspaceId: WorkspaceId,
  integration: NamedAccount,
  reason: string
) => Effect.Effect<void, DatabaseUnavailable>

/** Stores notifications and events for webhooks with one statement, in the surrounding transaction. */
export class Notifier extends Context.Service<
  Notifier,
  {
    /** Records the outcomes of the `settled` attempts, and sends notifications of the posts that they ended. */
    readonly postsSettled: (
      posts: ReadonlyArray<SettledPost>,
      settled: ReadonlyArray<EndedTarget>
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Records a person's decision about a target. Notifies nobody. */
    readonly targetResolved: (
      posts: ReadonlyArray<SettledPost>,
      resolved: EndedTarget,
      by: Author
    ) => Effect.Effect<void, DatabaseUnavailable>
    readonly approvalRequested: (
      workspaceId: WorkspaceId,
      post: { readonly id: PostId; readonly scheduledAt: DateTime.Utc | null; readonly content: string },
      by: Author
    ) => Effect.Effect<void, DatabaseUnavailable>
    readonly integrationDisconnected: NotifyOfAccount
    /** The account stays connected, so there is no event for webhooks. */
    readonly mediaNotAllowed: NotifyOfAccount
    /** The account stays connected, so there is no event for webhooks. */
    readonly integrationsExpiring: (
      accounts: ReadonlyArray<ExpiringAccount>
    ) => Effect.Effect<void, DatabaseUnavailable>
    readonly channelDisabled: (channel: DisabledChannel) => Effect.Effect<void, DatabaseUnavailable>
    readonly webhooksDisabled: (webhooks: ReadonlyArray<DisabledWebhook>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("social-publisher/notifier/Notifier") {
  static readonly layer = Layer.effect(
    Notifier,
    Effect.gen(function* () {
      const { events } = yield* Repo
      return Notifier.of({
        postsSettled: (posts, settled) => {
          const open = openTargets(settled)
          return events.record({
            events: eventsOfSettlements(posts, settled),
            notifications: posts.flatMap((post) => {
              const unconfirmed = open.filter(({ claim }) => claim.postId === post.postId)
              const notification = notificationOfEnd(post, settled)
              return [
                ...unconfirmed.map(({ claim, message }) => postUnconfirmed(post, claim, message)),
                ...(notification === undefined ? [] : [notification])
              ].map((each) => ({ workspaceId: post.workspaceId, notification: each }))
            })
          })
        },
        targetResolved: (posts, resolved, by) =>
          events.record({ events: eventsOfSettlements(posts, [{ ...resolved, by }]), notifications: [] }),
        approvalRequested: (workspaceId, post, by) => {
          const data = { post_id: post.id, scheduled_at: post.scheduledAt }
          return events.record({
            events: [{ workspaceId, event: { type: "post.approval_requested", data }, by }],
            notifications: [{ workspaceId, notification: approvalRequested(post) }]
          })
        },
        integrationDisconnected: (workspaceId, integration, reason) => {
          const { id: integration_id, platform } = integration
          const data = { integration_id, platform, status: "needs_reconnect" } as const
          return events.record({
            events: [{ workspaceId, event: { type: "integration.disconnected", data } }],
            notifications: [{ workspaceId, notification: integrationDisconnected(integration, reason) }]
          })
        },
        mediaNotAllowed: (workspaceId, integration, reason) =>
          events.record({
            events: [],
            notifications: [{ workspaceId, notification: mediaNotAllowed(integration, reason) }]
          }),
        integrationsExpiring: (accounts) =>
          events.record({
            events: [],
            notifications: accounts.map((account) => ({
              workspaceId: account.workspaceId,
              notification: integrationExpiring(account)
            }))
          }),
        channelDisabled: (channel) =>
          events.record({
            events: [],
            notifications: [{ workspaceId: channel.workspaceId, notification: channelDisabled(channel) }]
          }),
        webhooksDisabled: (webhooks) =>
          events.record({
            events: [],
            notifications: webhooks.map((webhook) => ({
              workspaceId: webhook.workspaceId,
              notification: webhookDisabled(webhook)
            }))
          })
      })
    })
  )
}
