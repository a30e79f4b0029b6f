import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Unavailable } from "../../../src/domain/publishing/platformError.ts"
import { encodeSession } from "../../../src/platforms/bluesky/session.ts"
import { accessOf, adapterOf, bodyOf, now, prepare } from "../contract/conformance.ts"
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

  it.effect.each([
    ["with", "was uploaded", Result.succeed(["any"])],
    ["without", "could not be uploaded", Result.fail(new Unavailable({ message: "Not now" }))]
  ] as const)("A card goes %s a picture that %s", ([which, , references]) =>
    Effect.gen(function* () {
      const prepared = yield* prepare(blueskyConformance, blueskyConformance.posts["a post with a card"])
      const access = accessOf(blueskyConformance)
      const first = adapterOf(blueskyConformance).send(prepared, access, now)
      const put = first._tag === "Files" ? first.next(references, access) : first
      if (put._tag !== "Request") return assert.fail(put._tag)
      const { external } = bodyOf(put.request).record.embed
      assert.deepStrictEqual([external.title, "thumb" in external], ["A", which === "with"])
    })
  )
})
