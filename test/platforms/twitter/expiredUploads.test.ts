import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { accessOf, adapterOf, now, prepare } from "../contract/conformance.ts"
import { twitterConformance } from "./conformance.ts"

const { posts } = twitterConformance
const uploads = { accountId: "43", media: [{ id: "7", key: "3_7" }], expiresAt: "2030-02-01T12:00:00.000Z" }

describe("A send to X", () => {
  it.effect.each([
    ["have run out", posts["a post with files"], DateTime.add(now, { hours: 24 })],
    ["belong to another account", { uploads }, now]
  ] as const)("X gets no post whose uploads %s", ([, post, at]) =>
    Effect.gen(function* () {
      const prepared = yield* prepare(twitterConformance, post)
      const step = adapterOf(twitterConformance).send(prepared, accessOf(twitterConformance), at)
      assert.strictEqual(
        step._tag === "End" && Result.isFailure(step.result) && step.result.failure._tag,
        "UploadsGone"
      )
    })
  )
})
