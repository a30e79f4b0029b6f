import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Headers } from "effect/http"
import { refusedPut, refusedRead } from "../../src/platforms/bluesky/xrpc.ts"
import { isOwnAnswer, refusedTweet } from "../../src/platforms/twitter/problem.ts"
import { renewTokens } from "../../src/platforms/twitter/tokens.ts"

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")

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
  it.each(gatewaysOfPds)("%i in the JSON of a gateway leaves a put to a PDS unknown", (status, body) => {
    assert.strictEqual(refusedPut(answered(status, body), now)._tag, "OutcomeUnknown")
    assert.strictEqual(refusedRead(answered(status, body), now)._tag, "OutcomeUnknown")
  })

  it.each([
    [400, "InvalidRequest", "Rejected"],
    [400, "ExpiredToken", "NeedsReauthorization"],
    [401, "AuthenticationRequired", "NeedsReauthorization"],
    [429, "RateLimitExceeded", "RateLimited"]
  ] as const)("%i %s of a PDS is %s", (status, error, tag) => {
    assert.strictEqual(refusedPut(answered(status, { error, message: "No" }), now)._tag, tag)
  })

  it.each([
    [403, { success: false, errors: [{ code: 10_000, message: "Authentication error" }] }],
    [403, { type: "about:blank", title: "Forbidden", status: 403, instance: "/2/tweets" }]
  ] as const)("%i in the JSON of a gateway leaves a post to X unknown", (status, body) => {
    assert.isFalse(isOwnAnswer(answered(status, body)))
    assert.strictEqual(refusedTweet(answered(status, body), now)._tag, "OutcomeUnknown")
  })

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
