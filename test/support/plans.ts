import { Record } from "effect"
import * as cards from "../../src/domain/posts/cardPlan.ts"
import type { Rules } from "../../src/domain/posts/platformRules.ts"
import * as posts from "../../src/domain/posts/postPlan.ts"
import * as texts from "../../src/domain/posts/postTexts.ts"
import * as split from "../../src/domain/posts/split/splitText.ts"
import { live } from "../../src/platforms/live.ts"
import { finishSteps } from "./steps.ts"

/** The platforms' rules, for an X application without an enterprise contract. */
export const rules = Record.map(live, (platform) => platform.rules)

const withRules =
  <Args extends ReadonlyArray<unknown>, Result>(plan: (rules: Rules, ...args: Args) => Result) =>
  (...args: Args): Result =>
    plan(rules, ...args)

export const planCreate = withRules(posts.planCreate)
export const planUpdate = withRules(posts.planUpdate)
export const planPublish = withRules(posts.planPublish)
export const planCards = withRules(cards.planCards)
export const findTextIssues = withRules((own: Rules, post: texts.Texts) => {
  const { refused, tooLong } = texts.findTextFaults(own, post)
  return [...refused, ...texts.lengthIssues(tooLong)]
})
export const splitText = withRules((own: Rules, order: split.SplitOrder) => finishSteps(split.splitSteps(own, order)))
