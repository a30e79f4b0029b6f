import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { enabledRules } from "../../src/domain/enabled.ts"
import { platforms } from "../../src/domain/plain/platforms.ts"
import { findTextFaults } from "../../src/domain/posts/postTexts.ts"
import { splitSteps } from "../../src/domain/posts/split/splitText.ts"
import { finishSteps } from "../support/steps.ts"
import { CurrentRules } from "../../src/platforms/rules.ts"
import { makeRequireConnected } from "../../src/repo/posts/postTargets.ts"
import { rules } from "../support/plans.ts"

/** The rules of a service in which X is in review, although it has an adapter. */
const { bluesky } = rules
const withoutX = { bluesky }

const post = { content: "a".repeat(290), platforms: ["twitter", "bluesky"] as const }

describe("a platform that has an adapter and is not enabled", () => {
  it("It is among all platforms, and not among the enabled ones", () => {
    assert.deepStrictEqual(
      enabledRules(withoutX, platforms).map(({ platform }) => platform),
      ["bluesky"]
    )
  })

  it.effect("A post that names it is refused, even if the workspace has an account there from an earlier time", () =>
    Effect.gen(function* () {
      const requireConnected = yield* makeRequireConnected
      const { message } = yield* Effect.flip(requireConnected(post.platforms, post.platforms))
      assert.strictEqual(message, "twitter is still in platform review and can't be connected yet")
    }).pipe(Effect.provideService(CurrentRules, withoutX))
  )

  it("A stored post that has it is not scheduled, and its text is not measured", () => {
    const texts = { ...post, overrides: {}, media: [], thread: [], kept: post.platforms }
    assert.deepStrictEqual(findTextFaults(withoutX, texts), {
      refused: [
        {
          path: ["platforms", 0],
          message: "twitter is still in platform review and can't be connected yet",
          code: "platform_in_review",
          facts: { platform: "twitter" }
        }
      ],
      tooLong: []
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
