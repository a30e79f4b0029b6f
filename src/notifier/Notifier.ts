import { Array as Arr, Context, type DateTime, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { IntegrationId, PostId, WorkspaceId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { Repo } from "../repo/Repo.ts"
import type { SettledPost } from "../repo/targets/Targets.ts"
import { approvalRequested, integrationDisconnected, listFailures, postFailed, postPublished } from "./messages.ts"

/** Notifies a workspace. The notification is stored in the transaction that surrounds the call. */
export class Notifier extends Context.Service<
  Notifier,
  {
    /** Notifies of a post that has ended, and does nothing for one that has not. */
    readonly postSettled: (post: SettledPost) => Effect.Effect<void, DatabaseUnavailable>
    readonly approvalRequested: (
      workspaceId: WorkspaceId,
      post: { readonly id: PostId; readonly scheduledAt: DateTime.Utc | null; readonly content: string }
    ) => Effect.Effect<void, DatabaseUnavailable>
    readonly integrationDisconnected: (
      workspaceId: WorkspaceId,
      integration: { readonly id: IntegrationId; readonly platform: LivePlatform; readonly username: string },
      reason: string
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("social-publisher/notifier/Notifier") {
  static readonly layer = Layer.effect(
    Notifier,
    Effect.gen(function* () {
      const { notifications } = yield* Repo
      return Notifier.of({
        postSettled: (post) => {
          switch (post.status) {
            case "published":
              return notifications.add(post.workspaceId, postPublished(post))
            case "failed": {
              const failures = listFailures(post)
              return Arr.isReadonlyArrayNonEmpty(failures)
                ? notifications.add(post.workspaceId, postFailed(post, failures))
                : Effect.void
            }
            default:
              return Effect.void
          }
        },
        approvalRequested: (workspaceId, post) => notifications.add(workspaceId, approvalRequested(post)),
        integrationDisconnected: (workspaceId, integration, reason) =>
          notifications.add(workspaceId, integrationDisconnected(integration, reason))
      })
    })
  )
}
