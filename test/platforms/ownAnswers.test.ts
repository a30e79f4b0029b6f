import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Headers } from "effect/http"
import { refusedPut, refusedRead } from "../../src/platforms/bluesky/xrpc.ts"
import { isOwnAnswer, refusedTweet } from "../../src/platforms/twitter/problem.ts"
import { renewTokens } from "../../src/platforms/twitter/tokens.ts"

const answered = (status: number, body: unknown) => ({
  status,
  headers: Headers.fromInput({ "retry-after": "3600" }),
  body: JSON.stringify(body)
})

/** Answers of gateways in the JSON that looks most like that of a PDS. */
const gatewaysOfPds: ReadonlyArray<readonly [status: number, body: object]> = [
  [401, { error: "unauthorized" }],
  [401, { error: "Unauthorized", message: "Log in" }],
  [403, { error: "forbidden" }],
  [403, { status: 403, error: "Forbidden", path: "/xrpc/com.atproto.repo.putRecord" }],
  [403, { statusCode: 403, error: "Forbidden", message: "Forbidden" }],
  [404, { error: "not_found" }],
  [429, { error: "too_many_requests" }]
]

describe("an answer to a post that is not the platform's own", () => {
  it.effect.each(gatewaysOfPds)("%i in the JSON of a gateway leaves a put to a PDS unknown", ([status, body]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(refusedPut(answered(status, body))))._tag, "OutcomeUnknown")
      assert.strictEqual((yield* Effect.flip(refusedRead(answered(status, body))))._tag, "OutcomeUnknown")
    })
  )

  it.effect.each([
    [400, "InvalidRequest", "Rejected"],
    [400, "ExpiredToken", "NeedsReauthorization"],
    [401, "AuthenticationRequired", "NeedsReauthorization"],
    [429, "RateLimitExceeded", "RateLimited"]
  ] as const)("%i %s of a PDS is %s", ([status, error, tag]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(refusedPut(answered(status, { error, message: "No" })))
      assert.strictEqual(refused._tag, tag)
    })
  )

  it.effect.each([
    [403, { success: false, errors: [{ code: 10_000, message: "Authentication error" }] }],
    [403, { type: "about:blank", title: "Forbidden", status: 403, instance: "/2/tweets" }]
  ] as const)("%i in the JSON of a gateway leaves a post to X unknown", ([status, body]) =>
    Effect.gen(function* () {
      assert.isFalse(isOwnAnswer(answered(status, body)))
      assert.strictEqual((yield* Effect.flip(refusedTweet(answered(status, body))))._tag, "OutcomeUnknown")
    })
  )

  it.effect("A limit of something in front of X's token endpoint is no limit of X", () =>
    Effect.gen(function* () {
      const config = { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null }
      const limited = {
        status: 429,
        headers: Headers.fromInput({ "retry-after": "90000" }),
        body: "<h1>Slow down</h1>"
      }
      const tokens = { accessToken: "ended", refreshToken: "unused" }
      const refused = yield* Effect.flip(renewTokens(config, () => Effect.succeed(limited), tokens))
      assert.strictEqual(refused._tag, "Unavailable")
    })
  )
})
