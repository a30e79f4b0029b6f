import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeSession } from "../../../src/platforms/bluesky/session.ts"
import { accessOf, adapterOf, now, prepare } from "../contract/conformance.ts"
import { blueskyConformance } from "./conformance.ts"

describe("A send to Bluesky", () => {
  it.effect.each([
    [{}, "configured", "https://platform.test"],
    [{ guarded: true }, "guarded", "https://platform.test"],
    [{ pdsUrl: "https://other.test" }, "guarded", "https://other.test"]
  ] as const)("With a session of %j it is %s and goes to %s", ([changes, through, origin]) =>
    Effect.gen(function* () {
      const session = encodeSession({ accessJwt: "token", refreshJwt: "other token", pdsUrl: null, ...changes })
      const prepared = yield* prepare(blueskyConformance)
      const step = adapterOf(blueskyConformance).send(prepared, accessOf(blueskyConformance, session), now)
      assert.deepStrictEqual(step._tag === "Request" && [step.through, new URL(step.request.url).origin], [
        through,
        origin
      ])
    })
  )
})
