import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, References } from "effect"
import { Headers } from "effect/http"
import { Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { makeBlueskyAdapter } from "../../src/platforms/bluesky/adapter.ts"
import { encodeSession } from "../../src/platforms/bluesky/session.ts"
import type { Call } from "../../src/platforms/call.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { Sends } from "../../src/publishing/Sends.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { claimed, currentLease, settled } from "./claimed.ts"
import { attemptOf, interruptibleAttempt, kindOf } from "./sendsWorld.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const xrpc = (status: number, error: string) =>
  Effect.succeed({ status, headers: Headers.empty, body: JSON.stringify({ error, message: "No" }) })

/** Bluesky's real adapter. Its puts fail because the key is taken, and `read` answers the look at that key. */
const worldOf = (read: ReturnType<Call>) => {
  const call: Call = (request) => (request.method === "GET" ? read : xrpc(400, "InvalidSwap"))
  const adapter = makeBlueskyAdapter(
    { defaultServiceUrl: "https://pds.test", webUrl: "https://bsky.test" },
    { configured: call, guarded: call }
  )
  return Sends.layer.pipe(
    Layer.provideMerge(Settlements.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        fakeRepo({
          targets: { beginSends: (sends) => Effect.succeed(sends.map(() => Exit.succeed(new Uint8Array([1])))) },
          integrations: {
            openCredentials: () => Effect.succeed(encodeSession({ accessJwt: "a", refreshJwt: "b", pdsUrl: null })),
            refreshCredentials: () => Effect.fail(new Unavailable({ message: "Not renewed" }))
          }
        }),
        currentLease,
        Layer.succeed(
          PlatformClient,
          perPlatform(() => adapter)
        ),
        Layer.mock(Notifier, { postsSettled: () => Effect.void })
      )
    ),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )
}
const claim = claimed({ platform: "bluesky" })

describe("A put whose key is taken, perhaps by the post itself", () => {
  it.effect("An attempt that is interrupted while the record is read leaves the outcome open", () =>
    Effect.gen(function* () {
      const own = yield* interruptibleAttempt(claim)
      yield* settled
      yield* own.interrupt
      assert.strictEqual(kindOf(yield* own.outcome), "CutOff")
    }).pipe(Effect.provide(worldOf(Effect.never)))
  )

  it.effect.each([
    ["access that can't be renewed", xrpc(400, "ExpiredToken")],
    ["a failure of something in between", xrpc(502, "UpstreamFailure")],
    ["a rate limit", xrpc(429, "RateLimitExceeded")]
  ] as const)("A read that meets %s leaves the outcome open", ([, read]) =>
    Effect.gen(function* () {
      const own = yield* attemptOf(claim)
      yield* settled
      assert.strictEqual(kindOf(yield* Fiber.join(own)), "OutcomeUnknown")
    }).pipe(Effect.provide(worldOf(read)))
  )
})
