import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { unlinkBluesky } from "./link.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { connected, outcome, statusFault, world } from "../world.ts"

const bluesky = connected("bluesky")

describe("unlinkBluesky", () => {
  it.effect("The session is ended, so that its credentials are never renewed again", () =>
    Effect.gen(function* () {
      const { account, posts, publish, sandbox } = yield* bluesky
      const service = sandbox.apiUrls.bluesky
      const credentials = yield* account.credentials.current
      yield* unlinkBluesky({ service, credentials })
      yield* sandbox.endAccess("bluesky")
      assert.strictEqual(yield* outcome(publish("Hello")), "NeedsReauthorization")
      assert.lengthOf(yield* posts, 0)
    }).pipe(Effect.provide(world()))
  )

  it.effect.each([
    ["has expired", "success", statusFault(400, { error: "ExpiredToken" })],
    ["is unknown", "success", statusFault(400, { error: "InvalidToken" })],
    ["the PDS does not end at the moment", "Unavailable", statusFault(502)],
    ["the PDS ends without a response", "Unavailable", { kind: "reset", when: "after_commit" }],
    ["is over the rate limit", "RateLimited", statusFault(429)]
  ] satisfies Array<[string, string, Fault]>)("Ending a session that %s ends as %s", ([, expected, fault]) =>
    Effect.gen(function* () {
      const { account, injectFault, sandbox } = yield* bluesky
      yield* injectFault(fault, "session")
      const credentials = yield* account.credentials.current
      const ended = unlinkBluesky({ service: sandbox.apiUrls.bluesky, credentials })
      assert.strictEqual(yield* outcome(ended), expected)
    }).pipe(Effect.provide(world()))
  )

  it.effect("Credentials that can't be read are reported, and nothing is sent", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* bluesky
      const unreadable = { service: sandbox.apiUrls.bluesky, credentials: Redacted.make("{}") }
      assert.strictEqual(yield* outcome(unlinkBluesky(unreadable)), "NeedsReauthorization")
    }).pipe(Effect.provide(world()))
  )
})
