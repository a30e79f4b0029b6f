import { assert } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { type Publication, Unavailable } from "../../../src/domain/publishing/platformError.ts"
import type { SendFailure } from "../../../src/platforms/PlatformClient.ts"
import type { Step } from "../../../src/platforms/steps.ts"
import { accessOf, type Conformance, now, strangers } from "./conformance.ts"
import { withoutStacks } from "../../support/withoutStacks.ts"
import { afterAnswer, beginning, type Conversation, makeJudge, tellConversation } from "./judge.ts"

export type SendStep = Step<Publication, SendFailure>

/** More steps than any conversation has. */
export const mostSteps = 12

/** Follows every conversation that can begin with a step, judges each, and returns their number. */
export const walk = (platform: Conformance, kind: string, first: SendStep): number => {
  const judge = makeJudge(platform)
  const answers = [...judge.all, ...strangers]
  const renewed = [...platform.renewed, Redacted.make("{}")].map((stored) => accessOf(platform, stored))
  const uploads = [
    ...platform.references.map((references) => Result.succeed(references)),
    Result.fail(new Unavailable({ message: "Not now" })),
    Result.fail(new DatabaseUnavailable({ operation: "a test", cause: "unavailable" }))
  ]
  let checked = beginning(kind)
  const follow = (step: SendStep, conversation: Conversation, depth: number): number => {
    checked = conversation
    assert.isBelow(depth, mostSteps, "A conversation does not end")
    if (step._tag === "End") {
      judge.checkEnd(conversation, step.result)
      return 1
    }
    assert.strictEqual(step.mayBeOut === true, judge.mayBeOut(conversation), "A step does not say what may be out")
    switch (step._tag) {
      case "Renew":
        return renewed.reduce((sum, access) => sum + follow(step.next(access), conversation, depth + 1), 0)
      case "Files":
        return uploads.reduce(
          (sum, came) => sum + follow(step.next(came, accessOf(platform)), conversation, depth + 1),
          0
        )
      case "Request": {
        if (step.shows === "post") judge.checkPost(conversation, step.request)
        return answers.reduce((sum, answer) => {
          const come = afterAnswer(conversation, step.request, answer, step.shows)
          return sum + follow(step.next(answer, now), come, depth + 1)
        }, 0)
      }
    }
  }
  return withoutStacks(() =>
    tellConversation(
      () => checked,
      () => follow(first, beginning(kind), 0)
    )
  )
}
