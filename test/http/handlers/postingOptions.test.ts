import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { AskPostingOptions } from "../../../src/accounts/AskPostingOptions.ts"
import type { PostingOptions } from "../../../src/domain/accounts/postingOptions.ts"
import { DatabaseUnavailable, NotFound } from "../../../src/domain/errors.ts"
import {
  NeedsReauthorization,
  RateLimited,
  Rejected,
  Unavailable
} from "../../../src/domain/publishing/platformError.ts"
import { call } from "../../support/http/client.ts"
import { anIntegration } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const account = {
  ...anIntegration,
  platform: "tiktok" as const,
  waiting: { drafts: 0, scheduled: 0, failed: 0 },
  last_published_at: null
}

const options: PostingOptions = {
  username: "team",
  display_name: "The team",
  settings: [{ name: "privacy_level", choices: ["SELF_ONLY"], is_available: true }],
  max_video_duration_ms: 600_000
}

type Asked = ReturnType<(typeof AskPostingOptions)["Service"]>

const get = Effect.fnUntraced(function* (asked: Asked, changes: Parameters<typeof repoWithKey>[1] = {}) {
  const integrations = { get: () => Effect.succeed(account) }
  const url = yield* startServer({ repo: repoWithKey({ integrations }, changes) }).pipe(
    Effect.provideService(AskPostingOptions, () => asked)
  )
  return yield* call(`${url}/v1/integrations/${account.id}/posting-options`, "GET")
})

describe("GET /v1/integrations/{id}/posting-options", () => {
  it.effect("It has what the platform says, or only the account's name", () =>
    Effect.gen(function* () {
      const { body, status } = yield* get(Effect.succeed(options))
      assert.deepStrictEqual([status, body.data], [200, options])
      const { username, display_name } = account
      assert.deepStrictEqual((yield* get(Effect.succeed(null))).body.data, {
        username,
        display_name,
        settings: [],
        max_video_duration_ms: null
      })
    })
  )

  it.effect.each([
    [new Unavailable({ message: "TikTok answered 503" }), 503, "platform_unavailable", /TikTok answered 503/],
    [new Rejected({ message: "No" }), 503, "platform_unavailable", /did not say what this account may choose/],
    [
      new RateLimited({ message: "No", until: DateTime.makeUnsafe(60_000) }),
      503,
      "platform_unavailable",
      /no more questions/
    ],
    [new NeedsReauthorization({ message: "Connect the account again" }), 409, "needs_reconnect", /Connect the account/],
    [new DatabaseUnavailable({ operation: "asking", cause: "It is away" }), 503, "unavailable", /./]
  ] as const)("A failure is told as what it is: %s", ([error, status, code, detail]) =>
    Effect.gen(function* () {
      const { body, headers, status: answered } = yield* get(Effect.fail(error))
      assert.deepStrictEqual([answered, body.code], [status, code])
      assert.match(body.detail, detail)
      if (code === "platform_unavailable") {
        assert.strictEqual(headers.get("retry-after"), error._tag === "RateLimited" ? "60" : "30")
      }
    })
  )

  it.effect("A key needs the right to read accounts, and an account of another workspace is unknown", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* get(Effect.succeed(options), { scopes: ["posts:read"] })).status, 403)
      const integrations = { get: () => Effect.fail(new NotFound({ message: "There is no such account" })) }
      const url = yield* startServer({ repo: repoWithKey({ integrations }) }).pipe(
        Effect.provideService(AskPostingOptions, () => Effect.die("It is asked"))
      )
      const { status } = yield* call(`${url}/v1/integrations/${account.id}/posting-options`, "GET")
      assert.strictEqual(status, 404)
    })
  )
})
