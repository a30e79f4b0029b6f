import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { planAttempt } from "../../src/domain/publishing/attemptPlan.ts"
import type { PlainSending } from "../../src/platforms/PlatformClient.ts"
import { isPlain } from "../../src/publishing/PlainSends.ts"
import type { Claim } from "../../src/repo/targets/Targets.ts"
import { claimed, perhapsPublished } from "./claimed.ts"
import { makeWorld } from "./plainWorld.ts"

describe("isPlain", () => {
  const { plain } = makeWorld().adapter
  const isPlainClaim = (changes: Partial<Claim>) => {
    const claim = claimed(changes)
    return isPlain(claim, planAttempt(claim, DateTime.makeUnsafe(0)), plain)
  }
  const epoch = DateTime.makeUnsafe(0)

  it("The first attempt at a text is plain", () => {
    assert.isTrue(isPlainClaim({}))
  })

  it.each<readonly [string, Partial<Claim>]>([
    ["a second attempt", { attempts: 2 }],
    ["one that may be out", perhapsPublished],
    ["one that an unknown process may have sent", { reconcileFrom: epoch }],
    ["one that was prepared before", { prepared: {} }],
    ["one with a card", { card: { url: "https://a.test", title: "A", description: "", thumb: null } }],
    ["one whose account is not connected", { integration: { ...claimed().integration, connected: false } }],
    ["one that comes a day late", { dueSince: DateTime.subtractDuration(epoch, "25 hours") }]
  ])("It is not plain: %s", (_, changes) => {
    assert.isFalse(isPlainClaim(changes))
  })

  it("A post with media is not plain", () => {
    const claim = claimed()
    const plan = planAttempt(claim, epoch)
    assert.isFalse(isPlain({ ...claim, media: [{}] as unknown as Claim["media"] }, plan, plain))
  })

  it("A text for which the platform has to be asked is not plain, nor is any without a plain way", () => {
    const claim = claimed()
    const plan = planAttempt(claim, epoch)
    assert.isFalse(isPlain(claim, plan, { ...plain, takes: () => false } as PlainSending))
    assert.isFalse(isPlain(claim, plan, undefined))
  })

  it("A send that follows an earlier one is not plain", () => {
    const earlier = { from: epoch, until: epoch }
    assert.isFalse(isPlain(claimed(), { _tag: "Send", earlier }, plain))
  })
})
