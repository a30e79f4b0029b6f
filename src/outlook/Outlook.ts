import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { ListsBusy } from "../domain/errors.ts"
import { excerpt } from "../domain/excerpt.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { namedFiles } from "../domain/media/mediaPlan.ts"
import { isEnabled } from "../domain/enabled.ts"
import { findAccountFaults } from "../domain/outlook/accountFindings.ts"
import { findDraftFaults, unreadablePost } from "../domain/outlook/draftFindings.ts"
import type { DueAccount, DuePost } from "../domain/outlook/duePost.ts"
import { countStates, maxCheckedPosts, type OutlookPost, withState } from "../domain/outlook/outlook.ts"
import { findRuleFaults } from "../domain/outlook/ruleFindings.ts"
import { threadMedia } from "../domain/posts/thread.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { FoundPost, Window } from "../repo/outlooks/outlookPosts.ts"
import { Repo } from "../repo/Repo.ts"

/** Checks that run together, in a process. */
const turns = { total: 2, perWorkspace: 1 }
const maxWait = Duration.seconds(10)

const pageSize = 100

/** Posts beyond those that are checked are counted up to this number. */
const maxCounted = 100_000

const filesOf = (found: ReadonlyArray<FoundPost>) =>
  namedFiles(found.flatMap((each) => (each._tag === "Post" ? threadMedia(each.post) : [])))

const make = Effect.gen(function* () {
  const { outlooks, posts, publishingState } = yield* Repo
  const rules = yield* CurrentRules
  const { inTurn } = makeWorkspaceTurns(turns)

  const checkPost = (
    post: DuePost,
    accounts: ReadonlyMap<string, DueAccount>,
    library: Parameters<typeof findRuleFaults>[2]
  ) => {
    if (post.status === "draft") return findDraftFaults(post)
    return [
      ...post.platforms.flatMap((platform) =>
        isEnabled(rules, platform)
          ? findAccountFaults(platform, accounts.get(platform), post.scheduledAt, undefined)
          : []
      ),
      ...findRuleFaults(rules, post, library)
    ]
  }

  const checkPage = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    found: ReadonlyArray<FoundPost>,
    accounts: ReadonlyMap<string, DueAccount>
  ) {
    const library = yield* posts.readMedia(workspaceId, filesOf(found))
    return found.map((each): OutlookPost => {
      if (each._tag === "Unreadable") {
        const { id, scheduledAt, status } = each
        return withState({ id, scheduled_at: scheduledAt, status, excerpt: "", platforms: [] }, [unreadablePost])
      }
      const { content, id, platforms, scheduledAt, status } = each.post
      return withState(
        { id, scheduled_at: scheduledAt, status, excerpt: excerpt(content), platforms },
        checkPost(each.post, accounts, library)
      )
    })
  })

  const run = Effect.fnUntraced(function* (workspaceId: WorkspaceId, window: Window) {
    const accounts = new Map((yield* outlooks.dueAccounts(workspaceId)).map((account) => [account.platform, account]))
    const checked: Array<OutlookPost> = []
    while (checked.length < maxCheckedPosts) {
      const last = checked.at(-1)
      const after = last === undefined ? null : { id: last.id, scheduledAt: last.scheduled_at }
      const limit = Math.min(pageSize, maxCheckedPosts - checked.length)
      const found = yield* outlooks.duePosts(workspaceId, window, { after, limit })
      checked.push(...(yield* checkPage(workspaceId, found, accounts)))
      if (found.length < limit) break
    }
    const unseen =
      checked.length < maxCheckedPosts
        ? 0
        : Math.max(0, (yield* outlooks.countDue(workspaceId, window, maxCounted)) - checked.length)
    return { posts: checked, counts: countStates(checked, unseen) }
  })

  const check = Effect.fn("Outlook.check")(function* (workspaceId: WorkspaceId, hours: number) {
    const from = yield* DateTime.now
    const window = { from, until: DateTime.addDuration(from, Duration.hours(hours)) }
    const isHeld = Option.isSome(yield* publishingState.hold)
    return { ...window, checkedAt: from, isHeld, costEstimate: null, ...(yield* run(workspaceId, window)) }
  })

  return {
    /** Checks the posts that are due within the next hours, and changes nothing. Waits for the workspace's turn. */
    check: (workspaceId: WorkspaceId, hours: number) =>
      withinWait(inTurn(workspaceId), maxWait, new ListsBusy())(check(workspaceId, hours))
  }
})

export class Outlook extends Context.Service<Outlook, Effect.Success<typeof make>>()(
  "social-publisher/outlook/Outlook"
) {
  static readonly layer = Layer.effect(Outlook, make)
}
