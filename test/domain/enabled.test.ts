import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { enabledRules } from "../../src/domain/enabled.ts"
import { platforms } from "../../src/domain/plain/platforms.ts"
import { planCreate } from "../../src/domain/posts/postPlan.ts"
import { splitSteps } from "../../src/domain/posts/split/splitText.ts"
import { finishSteps } from "../support/steps.ts"
import { CurrentRules } from "../../src/platforms/rules.ts"
import { makeRequireConnected } from "../../src/repo/posts/postTargets.ts"
import { rules } from "../support/plans.ts"

/** The rules of a service in which X is in review, although it has an adapter. */
const { bluesky } = rules
const withoutX = { bluesky }

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const post = { content: "a".repeat(290), platforms: ["twitter", "bluesky"] as const }

describe("a platform that has an adapter and is not enabled", () => {
  it("It is among all platforms, and not among the enabled ones", () => {
    assert.deepStrictEqual(
      enabledRules(withoutX, platforms).map(({ platform }) => platform),
      ["bluesky"]
    )
  })

  it("A post that names it is not scheduled, and its text is not measured", () => {
    const planned = planCreate(withoutX, { ...post, schedule_at: now }, now, [])
    assert.isTrue(Result.isFailure(planned))
    assert.deepInclude(Result.isFailure(planned) ? planned.failure : {}, {
      errors: [
        {
          path: ["content"],
          message: "twitter is still in platform review and can't be connected yet",
          code: "platform_in_review",
          facts: { platform: "twitter" }
        }
      ]
    })
  })

  it("A text is split for the enabled platforms alone", () => {
    const split = (own: Parameters<typeof splitSteps>[0]) =>
      finishSteps(splitSteps(own, { ...post, numbering: "none", maxParts: 9 })).per_platform.map(
        ({ parts, platform }) => [platform, parts.length]
      )
    assert.deepStrictEqual(split(withoutX), [["bluesky", 1]])
    assert.deepStrictEqual(split(rules), [
      ["twitter", 2],
      ["bluesky", 2]
    ])
  })

  it.effect("A workspace without accounts is told of each platform why none is connected", () =>
    Effect.gen(function* () {
      const requireConnected = yield* makeRequireConnected
      const { message, platforms: missing } = yield* Effect.flip(requireConnected(post.platforms, []))
      assert.deepStrictEqual(missing, ["twitter", "bluesky"])
      assert.strictEqual(
        message,
        "twitter is still in platform review and can't be connected yet; bluesky is not connected in this workspace"
      )
    }).pipe(Effect.provideService(CurrentRules, withoutX))
  )
})
