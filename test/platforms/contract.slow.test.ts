import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { countFromEnv } from "../support/countFromEnv.ts"
import { prepare } from "./contract/conformance.ts"
import { kinds, named, othersThan } from "./contract/conformances.ts"
import { drawFrom } from "./contract/drawn.ts"
import { answerAnything, answerAsStrangers } from "./contract/drawnWalk.ts"
import { prepareAsMeasured, sendAsShown } from "./contract/texts.ts"

// Starts early: it takes minutes of a core.

/**
 * Seeds that the fast suite does not use. Set SEEDS to draw with more of them. Every run draws the same, so that it finds
 * what a change breaks.
 */
const seeds = Array.from({ length: countFromEnv("SEEDS", 1_000) }, (_, index) => 1_000_000 + index)

describe("Drawn conversations and texts", () => {
  it.effect.each(kinds)("$kind for $name", ({ kind, more, platform }) =>
    Effect.gen(function* () {
      const prepared = yield* prepare(platform, more)
      const anything = answerAnything(platform, othersThan(platform), kind, prepared)
      const asStrangers = answerAsStrangers(platform, othersThan(platform), kind, prepared)
      for (const seed of seeds) {
        anything(drawFrom(seed))
        asStrangers(drawFrom(seed))
      }
    })
  )

  it.effect.each(named)("Texts for $name", ({ platform }) =>
    Effect.forEach(
      seeds,
      (seed) => Effect.andThen(sendAsShown(platform, drawFrom(seed)), prepareAsMeasured(platform, drawFrom(seed))),
      { discard: true }
    )
  )
})
