import { assert, describe, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { AskPostingOptions } from "../../../src/accounts/AskPostingOptions.ts"
import type { Answer } from "../../../src/platforms/call.ts"
import { accountOf, adapterOf, answerPreparing, prepareBy, respond } from "../contract/conformance.ts"
import { call } from "../../support/http/client.ts"
import { anIntegration } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"
import { outcome } from "../world.ts"
import { answer, creator, refuse, tiktokConformance } from "./conformance.ts"

const account = {
  ...anIntegration,
  platform: "tiktok" as const,
  waiting: { drafts: 0, scheduled: 0, failed: 0 },
  last_published_at: null
}

const optionsWith = (said: Answer) => {
  const { postingOptions = () => Effect.die("Nothing is asked") } = adapterOf(tiktokConformance, () =>
    Effect.fromResult(said)
  )
  return postingOptions(accountOf(tiktokConformance))
}

describe("What TikTok says that an account may choose", () => {
  it.effect("It is the account's own name, its options that the service has, and what it has switched off", () =>
    Effect.gen(function* () {
      const own = {
        ...creator,
        creator_nickname: "The team",
        privacy_level_options: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
        comment_disabled: true,
        max_video_post_duration_sec: 180
      }
      assert.deepStrictEqual(yield* optionsWith(answer(own)), {
        username: "team",
        display_name: "The team",
        settings: [
          { name: "privacy_level", choices: ["MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"], is_available: true },
          { name: "allow_comment", choices: null, is_available: false },
          { name: "allow_duet", choices: null, is_available: true },
          { name: "allow_stitch", choices: null, is_available: true }
        ],
        max_video_duration_ms: 180_000
      })
    })
  )

  it.effect("An answer without a name or a limit is an answer", () =>
    Effect.gen(function* () {
      const short = Struct.omit(creator, ["creator_nickname", "max_video_post_duration_sec"])
      const { display_name, max_video_duration_ms } = yield* optionsWith(answer(short))
      assert.deepStrictEqual([display_name, max_video_duration_ms], [null, null])
    })
  )

  it.effect.each([
    [
      { privacy_level_options: ["MUTUAL_FOLLOW_FRIENDS"] },
      /but MUTUAL_FOLLOW_FRIENDS .+\. Copy the post with one of them/
    ],
    [{ max_video_post_duration_sec: 1 }, /up to 1 s, but this one has .+\. Copy the post with a shorter one$/]
  ] as const)("A post that the account may not send any more names a step that a failed post has: %j", ([own, step]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(
        prepareBy(tiktokConformance, (request) =>
          request.url.endsWith("/creator_info/query/")
            ? Effect.fromResult(answer({ ...creator, ...own }))
            : answerPreparing(tiktokConformance)(request)
        )
      )
      assert.match(refused.message, step)
    })
  )

  it.effect.each([1e300, 86_401, 0, -1, 0.5, "600", null])("A limit of %s for videos is none", (seconds) =>
    Effect.gen(function* () {
      const said = answer({ ...creator, max_video_post_duration_sec: seconds })
      assert.isNull((yield* optionsWith(said)).max_video_duration_ms)
      const prepared = prepareBy(tiktokConformance, (request) =>
        request.url.endsWith("/creator_info/query/")
          ? Effect.fromResult(said)
          : answerPreparing(tiktokConformance)(request)
      )
      assert.strictEqual(yield* outcome(prepared), "success")
      // The form for posts gets an answer, too.
      const integrations = { get: () => Effect.succeed(account) }
      const url = yield* startServer({ repo: repoWithKey({ integrations }) }).pipe(
        Effect.provideService(AskPostingOptions, () => optionsWith(said))
      )
      const { body, status } = yield* call(`${url}/v1/integrations/${account.id}/posting-options`, "GET")
      assert.deepStrictEqual([status, body.data?.max_video_duration_ms], [200, null])
    })
  )

  it.effect.each([
    [refuse(429, "rate_limit_exceeded"), "RateLimited"],
    [refuse(401, "scope_not_authorized"), "NeedsReauthorization"],
    [refuse(500, "internal_error"), "Unavailable"],
    [respond(502, "<html>Bad gateway</html>"), "Unavailable"]
  ] as const)("A refusal is told as what it is", ([said, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(optionsWith(said)), expected)
    })
  )
})
