import { Duration, Effect } from "effect"
import type { WaitingPostsChoice } from "../domain/accounts/accountChange.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { Notifier } from "../notifier/Notifier.ts"
import type { NewIntegration } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"
import { revokeAccess } from "./revokeAccess.ts"

/** Moving 100,000 waiting posts takes a fraction of this. */
export const replacementTimeout = Duration.minutes(2)

/**
 * Replaces an account, and notifies the workspace of posts that failed because of it. Joins the surrounding
 * transaction.
 */
export const moveToAccount = Effect.fn("moveToAccount")(function* (
  workspaceId: WorkspaceId,
  account: NewIntegration,
  choice: { readonly posts: WaitingPostsChoice; readonly replaces?: string }
) {
  const { integrations } = yield* Repo
  const notifier = yield* Notifier
  const replacement = yield* integrations.replaceAccount(workspaceId, account, choice)
  yield* notifier.postsSettled(replacement.failed, [])
  return replacement
})

export const replaceAccount = Effect.fn("replaceAccount")(function* (
  workspaceId: WorkspaceId,
  account: NewIntegration,
  posts: WaitingPostsChoice
) {
  const { transaction } = yield* Repo
  const replacement = yield* transaction(moveToAccount(workspaceId, account, { posts }), replacementTimeout)
  if (replacement.former !== null) yield* revokeAccess(replacement.former)
  return replacement
})
