import { Array as Arr, Clock, Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { AskAccount } from "../accounts/AskAccount.ts"
import { type DatabaseUnavailable, TooManyAttempts } from "../domain/errors.ts"
import type { PostId, WorkspaceId } from "../domain/ids.ts"
import { namedFiles } from "../domain/media/mediaPlan.ts"
import { findAccountFaults } from "../domain/outlook/accountFindings.ts"
import { type Answers, findByAnswers } from "../domain/outlook/answers.ts"
import { findCollisions, type PublishedText } from "../domain/outlook/collisions.ts"
import type { DueAccount, DuePost } from "../domain/outlook/duePost.ts"
import type { Finding } from "../domain/outlook/finding.ts"
import { type CheckedOutlook, estimateCost } from "../domain/outlook/checkedOutlook.ts"
import { publishingHeld } from "../domain/outlook/heldFinding.ts"
import { countStates, maxCheckedPosts, withState } from "../domain/outlook/outlook.ts"
import { spendingReached } from "../domain/outlook/spendingFinding.ts"
import { platformName } from "../domain/plain/platforms.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { threadMedia } from "../domain/posts/thread.ts"
import { runSteps } from "../domain/steps.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { FoundPost, Window } from "../repo/outlooks/outlookPosts.ts"
import { Repo } from "../repo/Repo.ts"
import { makeAskAll } from "./askAll.ts"
import { comparedForm, lookAtPost, type Looked } from "./lookAtPost.ts"
import { makeRecentOutlooks } from "./recentOutlooks.ts"

/** Checks that run together, in a process. */
const turns = { total: 4, perWorkspace: 1 }
/** Longer than a check for readers, so that the next caller of a workspace gets what the one before has found. */
const maxWait = Duration.seconds(25)

const checksBusy = new TooManyAttempts({
  message: "Other posts are being checked at this moment; try again in a few seconds",
  wait: Duration.seconds(5)
})

/** A page is read and checked in some milliseconds, so that it holds up no request. */
const pageSize = 8

/** Posts beyond those that are checked are counted up to this number. */
const maxCounted = 100_000

/** A refusal for want of credits is worth telling for this time. */
const refusedLately = Duration.hours(24)

export interface CheckOptions {
  /** The time for all questions to platforms, links and the store. */
  readonly askFor: Duration.Duration
  /** Runs after each page of posts but the last, and then every few milliseconds. `ran`: those since the last rest. */
  readonly rest: (ran: number) => Effect.Effect<void>
}

/** People wait for it. */
const forReaders: CheckOptions = { askFor: Duration.seconds(20), rest: () => Effect.yieldNow }

const filesOf = (found: ReadonlyArray<FoundPost>) =>
  namedFiles(found.flatMap((each) => (each._tag === "Post" ? threadMedia(each.post) : [])))

type Place = Pick<DuePost, "id" | "scheduledAt">

function* mapSteps<A, B>(all: ReadonlyArray<A>, map: (each: A) => B): Generator<void, ReadonlyArray<B>> {
  const mapped: Array<B> = []
  for (const each of all) {
    mapped.push(map(each))
    yield
  }
  return mapped
}

const unanswered = (platform: LivePlatform) =>
  ({ _tag: "Unchecked", reason: `${platformName(platform)} did not answer in time` }) as const

const makeCheck = Effect.gen(function* () {
  const { outlooks, posts, publishingState } = yield* Repo
  const rules = yield* CurrentRules
  const { findMentions } = yield* AskAccount
  const askAll = yield* makeAskAll

  /** All posts, each without its text. */
  const lookAtAll = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    window: Window,
    accounts: ReadonlyMap<LivePlatform, DueAccount>,
    rest: CheckOptions["rest"]
  ) {
    // By id, because a post that gets a later time in between is on two pages.
    const looked = new Map<PostId, Looked>()
    let after: Place | null = null
    while (looked.size < maxCheckedPosts) {
      const began = yield* Clock.currentTimeMillis
      const known = looked.size
      const limit = Math.min(pageSize, maxCheckedPosts - known)
      const found: ReadonlyArray<FoundPost> = yield* outlooks.duePosts(workspaceId, window, { after, limit })
      const library = yield* posts.readMedia(workspaceId, filesOf(found))
      for (const each of found) {
        const one = yield* runSteps(lookAtPost(each, { rules, accounts, library, findMentions }))
        looked.delete(one.shown.id)
        looked.set(one.shown.id, one)
        after = { id: one.shown.id, scheduledAt: one.shown.scheduled_at }
      }
      if (found.length < limit || looked.size === known) break
      yield* rest((yield* Clock.currentTimeMillis) - began)
    }
    return Array.from(looked.values()).toSorted((one, other) =>
      DateTime.Order(one.shown.scheduled_at, other.shown.scheduled_at)
    )
  })

  const publishedTexts = (accounts: ReadonlyArray<DueAccount>) =>
    Effect.map(
      Effect.forEach(accounts, (account) =>
        Effect.map(outlooks.publishedTexts(account), (found) =>
          found.flatMap(({ publishedAt, texts }) =>
            texts.map((text): PublishedText => ({
              platform: account.platform,
              text: comparedForm(rules, account.platform, text),
              at: publishedAt
            }))
          )
        )
      ),
      Arr.flatten
    )

  return Effect.fn("Outlook.check")(function* (
    workspaceId: WorkspaceId,
    hours: number,
    { askFor, rest }: CheckOptions
  ): Effect.fn.Return<CheckedOutlook, DatabaseUnavailable> {
    const from = yield* DateTime.now
    const window = { from, until: DateTime.addDuration(from, Duration.hours(hours)) }
    const isHeld = Option.isSome(yield* publishingState.hold)
    const known = yield* outlooks.dueAccounts(workspaceId)
    const accounts = new Map(known.map((account) => [account.platform, account]))
    const looked = yield* lookAtAll(workspaceId, window, accounts, rest)
    const used = new Set(looked.flatMap(({ platforms }) => platforms))
    const due = known.filter(({ platform }) => used.has(platform))
    const sends = looked.flatMap((each) => each.sends)
    const collisions = yield* runSteps(findCollisions(sends, yield* publishedTexts(due)), rest)
    const usd = looked.map((each) => each.usd)
    const costEstimate = estimateCost(usd)
    const broke = yield* outlooks.outOfCredits(workspaceId, DateTime.subtractDuration(from, refusedLately))
    const answers: Answers | null = isHeld
      ? null
      : yield* askAll(
          workspaceId,
          due,
          looked.map(({ questions }) => questions),
          askFor
        )
    const findingsOf = ({ findings, platforms, questions, shown }: Looked): ReadonlyArray<Finding> => [
      ...platforms.flatMap((platform) => {
        // No answer in time is not an acceptance.
        const answer = answers?.accounts.get(platform) ?? unanswered(platform)
        return findAccountFaults(platform, accounts.get(platform), shown.scheduled_at, isHeld ? undefined : answer)
      }),
      ...platforms
        .filter((platform) => broke.includes(platform))
        .map((platform) => spendingReached(platform, costEstimate?.usd ?? null)),
      ...findings,
      ...(collisions.get(shown.id) ?? []),
      ...(answers === null ? [publishingHeld].filter(() => platforms.length > 0) : findByAnswers(questions, answers))
    ]
    const checked = yield* runSteps(
      mapSteps(looked, (each) => withState(each.shown, findingsOf(each))),
      rest
    )
    const unseen =
      checked.length < maxCheckedPosts
        ? 0
        : Math.max(0, (yield* outlooks.countDue(workspaceId, window, maxCounted)) - checked.length)
    return { ...window, isHeld, usd, costEstimate, posts: checked, unseen, counts: countStates(checked, unseen) }
  })
})

/** A workspace makes one check at a time, so that its requests can't make the service ask endlessly. */
const make = Effect.gen(function* () {
  const check = yield* makeCheck
  const { inTurn } = makeWorkspaceTurns(turns)
  const recent = makeRecentOutlooks()

  const checkAnew = Effect.fnUntraced(function* (workspaceId: WorkspaceId, hours: number, options: CheckOptions) {
    const began = yield* Clock.currentTimeMillis
    const outlook = yield* check(workspaceId, hours, options)
    recent.remember(workspaceId, outlook, { began, now: yield* Clock.currentTimeMillis })
    return outlook
  })

  const readOrCheck = Effect.fnUntraced(function* (workspaceId: WorkspaceId, hours: number) {
    const now = yield* Clock.currentTimeMillis
    const found = recent.find(workspaceId, hours, now)
    if (found !== undefined) return found
    const wait = recent.restOf(workspaceId, now)
    if (wait > 0) {
      return yield* new TooManyAttempts({
        message: "This workspace's posts were checked a moment ago; ask for fewer hours, or try again later",
        wait: Duration.millis(wait)
      })
    }
    return yield* checkAnew(workspaceId, hours, forReaders)
  })

  return {
    /** Checks the posts that are due within the next hours, and changes nothing. May return a check of seconds ago. */
    check: (workspaceId: WorkspaceId, hours: number) =>
      withinWait(inTurn(workspaceId), maxWait, checksBusy)(readOrCheck(workspaceId, hours)),
    /** Waits for its turn as long as it takes, and asks everything again that is not remembered. */
    checkAtLeisure: (workspaceId: WorkspaceId, hours: number, options: CheckOptions) =>
      inTurn(workspaceId)(checkAnew(workspaceId, hours, options))
  }
})

export class Outlook extends Context.Service<Outlook, Effect.Success<typeof make>>()(
  "social-publisher/outlook/Outlook"
) {
  static readonly layer = Layer.effect(Outlook, make)
}
