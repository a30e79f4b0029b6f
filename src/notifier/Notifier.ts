import { Array as Arr, Context, type DateTime, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { IntegrationId, PostId, WorkspaceId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { NewNotification } from "../repo/notifications/notifications.ts"
import { Repo } from "../repo/Repo.ts"
import type { SettledPost } from "../repo/targets/Targets.ts"
import type { DisabledWebhook } from "../repo/webhooks/Webhooks.ts"
import {
  approvalRequested,
  integrationDisconnected,
  listFailures,
  postFailed,
  postPublished,
  webhookDisabled
} from "./messages.ts"

const notificationOfEnd = (post: SettledPost): NewNotification | undefined => {
  switch (post.status) {
    case "published":
      return postPublished(post)
    case "failed": {
      const failures = listFailures(post)
      return Arr.isReadonlyArrayNonEmpty(failures) ? postFailed(post, failures) : undefined
    }
    default:
      return undefined
  }
}

/** Notifies a workspace. The notification is stored in the transaction that surrounds the call. */
export class Notifier extends Context.Service<
  Notifier,
  {
    /** Notifies of the posts that have ended, and does nothing for those that have not. */
    readonly postsSettled: (posts: ReadonlyArray<SettledPost>) => Effect.Effect<void, DatabaseUnavailable>
    readonly approvalRequested: (
      workspaceId: WorkspaceId,
      post: { readonly id: PostId; readonly scheduledAt: DateTime.Utc | null; readonly content: string }
    ) => Effect.Effect<void, DatabaseUnavailable>
    readonly integrationDisconnected: (
      workspaceId: WorkspaceId,
      integration: { readonly id: IntegrationId; readonly platform: LivePlatform; readonly username: string },
      reason: string
    ) => Effect.Effect<void, DatabaseUnavailable>
    readonly webhooksDisabled: (webhooks: ReadonlyArray<DisabledWebhook>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("social-publisher/notifier/Notifier") {
  static readonly layer = Layer.effect(
    Notifier,
    Effect.gen(function* () {
      const { events, notifications } = yield* Repo
      return Notifier.of({
        postsSettled: (posts) => {
          const ended = posts.flatMap((post) => {
            const notification = notificationOfEnd(post)
            return notification === undefined ? [] : [{ workspaceId: post.workspaceId, notification }]
          })
          return Arr.isReadonlyArrayNonEmpty(ended) ? notifications.addAll(ended) : Effect.void
        },
        approvalRequested: (workspaceId, post) => notifications.add(workspaceId, approvalRequested(post)),
        integrationDisconnected: (workspaceId, integration, reason) =>
          notifications.add(workspaceId, integrationDisconnected(integration, reason)),
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
