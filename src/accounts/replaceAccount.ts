import { Duration, Effect } from "effect"
import type { WaitingPostsChoice } from "../domain/accounts/accountChange.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { Notifier } from "../notifier/Notifier.ts"
import type { NewIntegration } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"
import { revokeAccess } from "./revokeAccess.ts"

/** 100,000 posts that wait are moved in a fraction of this time. */
export const replacementTimeout = Duration.minutes(2)

/** Connects an account in place of another one and notifies of posts that failed by that. Joins the surrounding transaction. */
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

/** Connects an account in place of another one, whose access ends. */
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
