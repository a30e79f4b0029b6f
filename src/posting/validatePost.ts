import { DateTime, Duration, Effect } from "effect"
import { LinkCards } from "../cards/LinkCards.ts"
import { enabledRules, isEnabled, notConnectedCode, whyNotConnected } from "../domain/enabled.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import type { Issue } from "../domain/errors.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { namedFiles } from "../domain/media/mediaPlan.ts"
import { isLive } from "../domain/plain/platforms.ts"
import type { Platform } from "../domain/platform.ts"
import { cardLink, fittingCard } from "../domain/posts/cardPlan.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { NewPost } from "../domain/posts/newPost.ts"
import { findPostDoubts } from "../domain/posts/postDoubts.ts"
import { planCreate, planIssues } from "../domain/posts/postPlan.ts"
import { findTextDoubts } from "../domain/posts/textDoubts.ts"
import type { Rules } from "../domain/posts/platformRules.ts"
import { explainFullGroup } from "../domain/posts/postSize.ts"
import { platformTexts, type PostTexts, textsOf } from "../domain/posts/postTexts.ts"
import { threadMedia } from "../domain/posts/thread.ts"
import { explainRefusal, measureText } from "../domain/posts/text/textRules.ts"
import { CurrentRules } from "../platforms/rules.ts"
import { Repo } from "../repo/Repo.ts"
import type { Planner, Slots } from "./slots.ts"

const findUnconnected = (rules: Rules, post: PostTexts, connected: ReadonlyArray<Platform>): ReadonlyArray<Issue> =>
  post.platforms.flatMap((platform, index): ReadonlyArray<Issue> =>
    connected.includes(platform) && isEnabled(rules, platform)
      ? []
      : [
          {
            path: ["platforms", index],
            message: whyNotConnected(platform, rules),
            code: notConnectedCode(platform, rules),
            facts: { platform }
          }
        ]
  )

const measureTexts = (rules: Rules, post: PostTexts) => {
  const texts = textsOf(post)
  const measured = platformTexts(texts).flatMap(({ media, part, platform, text }) =>
    enabledRules(rules, [platform]).map(({ own }) => {
      const { length, limit, valid } = measureText(own, text, media.length > 0)
      const isAccepted = valid && explainRefusal(own, text, media.length > 0) === undefined
      return { platform, part: part ?? 1, length, limit, valid: isAccepted }
    })
  )
  return post.platforms.filter(isLive).flatMap((platform) => {
    const parts = measured.filter((each) => each.platform === platform)
    return parts.slice(0, 1).map(({ length, limit, valid }) => ({
      platform,
      length,
      limit,
      valid: texts.thread.length === 0 ? valid : parts.every((part) => part.valid),
      ...(texts.thread.length > 0 && { parts: parts.map(({ platform: _, ...part }) => part) })
    }))
  })
}

/** There is at most one estimate, because at most one platform charges for posts. */
const estimateCost = (rules: Rules, post: PostTexts) => {
  const parts = platformTexts(textsOf(post))
  const [estimate] = enabledRules(rules, post.platforms).flatMap(({ own, platform }) => {
    const texts = parts.filter((each) => each.platform === platform).map(({ text }) => text)
    const { estimateCost: estimateFor } = own
    return estimateFor === undefined || texts.length === 0 ? [] : [estimateFor(texts)]
  })
  return estimate === undefined ? {} : { cost_estimate: estimate }
}

/** Concurrent lookups for posts that are not scheduled. The limit leaves lookups for posts that are. */
const unscheduledLookups = { total: 8, perWorkspace: 2 }
const maxWait = Duration.seconds(10)
const unscheduledTimeout = Duration.seconds(10)

/** Null if there is no card or the lookup takes too long. */
const makeFindCard = Effect.gen(function* () {
  const lookUp = yield* LinkCards
  const { inTurn } = makeWorkspaceTurns(unscheduledLookups)
  return (workspaceId: WorkspaceId, url: string | undefined): Effect.Effect<LinkCard | null> =>
    url === undefined
      ? Effect.succeed(null)
      : Effect.timeout(lookUp(workspaceId, url), unscheduledTimeout).pipe(
          withinWait(inTurn(workspaceId), maxWait, null),
          Effect.orElseSucceed(() => null)
        )
})

/** Finds what keeps a post from being created, without storing it. */
export const makeValidatePost = (slots: Slots) =>
  Effect.map(Effect.all([Repo, CurrentRules, makeFindCard]), ([{ integrations, posts }, rules, findCard]) => ({
    /** The card that the post would have if it were scheduled. */
    findCard: (workspaceId: WorkspaceId, post: PostTexts) => {
      const texts = textsOf(post)
      return Effect.map(findCard(workspaceId, cardLink(rules, texts)), (card) => fittingCard(texts, card))
    },

    findPlanIssues: Effect.fnUntraced(function* (planner: Planner, requested: NewPost) {
      const { errors: slotErrors, post } = yield* slots.preview(planner, requested)
      const { media = [], thread = [] } = post
      const files = namedFiles(threadMedia({ media, thread }))
      const library = files.length === 0 ? [] : yield* posts.readMedia(planner.workspaceId, files)
      const errors = planIssues(planCreate(rules, post, yield* DateTime.now, library))
      return { errors: [...slotErrors, ...errors], warnings: findPostDoubts(rules, post, library) }
    }),

    checkTexts: Effect.fn("validatePost.checkTexts")(function* (workspaceId: WorkspaceId, post: PostTexts) {
      const connected = yield* integrations.list(workspaceId)
      const platforms = connected.map(({ platform }) => platform)
      const isFull = post.group_id !== undefined && (yield* posts.isGroupFull(workspaceId, post.group_id))
      const full = isFull ? [{ path: ["group_id"], message: explainFullGroup }] : []
      return {
        errors: [...findUnconnected(rules, post, platforms), ...full],
        warnings: findTextDoubts(rules, textsOf(post)),
        targets: measureTexts(rules, post),
        ...estimateCost(rules, post)
      }
    })
  }))
