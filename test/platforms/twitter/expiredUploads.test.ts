import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { accessOf, adapterOf, now, prepare } from "../contract/conformance.ts"
import { twitterConformance } from "./conformance.ts"

describe("A send to X", () => {
  it.effect("X gets no post whose uploads have run out", () =>
    Effect.gen(function* () {
      const prepared = yield* prepare(twitterConformance, twitterConformance.posts["a post with files"])
      const later = DateTime.add(now, { hours: 24 })
      const step = adapterOf(twitterConformance).send(prepared, accessOf(twitterConformance), later)
      assert.strictEqual(
        step._tag === "End" && Result.isFailure(step.result) && step.result.failure._tag,
        "UploadsGone"
      )
    })
  )
})
