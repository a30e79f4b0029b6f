import { Cache, Data, Effect, Exit, Option } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import { isLive, platformName } from "../domain/plain/platforms.ts"
import type { LivePlatform, Platform } from "../domain/platform.ts"
import type { Post } from "../domain/posts/post.ts"
import { threadMedia } from "../domain/posts/thread.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { live } from "../platforms/live.ts"
import type { NoticedAccount } from "../repo/integrations/accountNotices.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"

export interface ScheduledPost {
  readonly status: Post["status"]
  readonly platforms: ReadonlyArray<Platform>
  /** Includes the parts' files. */
  readonly media: ReadonlyArray<unknown>
}

export const scheduledPost = ({ media, post_targets, status, thread }: Post): ScheduledPost => ({
  media: threadMedia({ media, thread }),
  status,
  platforms: post_targets.map(({ integrations }) => integrations.platform)
})

/** The number of notified accounts that a process remembers. */
const capacity = 10_000

class Account extends Data.Class<NoticedAccount> {}

/**
 * Notifies a workspace, once per account, that an account does not allow media, because it was connected before the
 * service requested media access. Runs when a post with files is scheduled, so that somebody can connect the account
 * again in time. Never fails.
 */
export const makeNotifyMissingMediaAccess = Effect.gen(function* () {
  const { accountNotices, transaction } = yield* Repo
  const { mediaNotAllowed } = yield* Notifier

  const notify = ({ ...account }: Account) =>
    transaction(
      Effect.gen(function* () {
        const reason = "it has not allowed this service to upload media"
        if (yield* accountNotices.claimNotice(account, reason)) {
          yield* mediaNotAllowed(account.workspaceId, account, reason)
        }
      })
    )
  const notified = yield* Cache.makeWith(notify, {
    capacity,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 day" : 0)
  })

  const notifyOn = (workspaceId: WorkspaceId, platform: LivePlatform) => {
    const { lacksMedia } = live[platform]
    if (lacksMedia === undefined) return Effect.void
    return Effect.gen(function* () {
      const found = yield* accountNotices.find(workspaceId, platform)
      if (Option.isNone(found)) return
      const { account, credentials } = found.value
      if (yield* lacksMedia(credentials)) yield* Cache.get(notified, new Account(account))
    }).pipe(bestEffort(`A workspace was not notified that its ${platformName(platform)} account does not allow media`))
  }

  return (workspaceId: WorkspaceId, { media, platforms, status }: ScheduledPost) =>
    status !== "scheduled" || media.length === 0
      ? Effect.void
      : Effect.forEach(platforms.filter(isLive), (platform) => notifyOn(workspaceId, platform), { discard: true })
})
