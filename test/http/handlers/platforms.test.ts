import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { platforms } from "../../../src/domain/plain/platforms.ts"
import { type Platform, whyInReview } from "../../../src/domain/platform.ts"
import { AccountLinking, PlatformInReview } from "../../../src/platforms/AccountLinking.ts"
import { CurrentRules } from "../../../src/platforms/rules.ts"
import { call, keyHeaders, sendJson } from "../../support/http/client.ts"
import { apiKey, repoWithKey, startServer } from "../../support/http/server.ts"
import { rules } from "../../support/plans.ts"

const list = Effect.gen(function* () {
  const url = yield* startServer({ repo: repoWithKey({}, { scopes: [] }) })
  const response = yield* sendJson(`${url}/v1/platforms`, "GET", keyHeaders(apiKey))
  assert.strictEqual(response.status, 200)
  return response.body.data
})

describe("GET /v1/platforms", () => {
  it.effect("A key without scopes gets all platforms, and what is live has limits", () =>
    Effect.gen(function* () {
      const found = yield* list
      assert.deepStrictEqual(
        found.map((each: { platform: string; state: string }) => [each.platform, each.state]),
        platforms.map((platform) => [platform, ["twitter", "bluesky"].includes(platform) ? "live" : "in_review"])
      )
      const [twitter, bluesky] = found
      assert.deepInclude(twitter, {
        display_name: "X",
        reason: null,
        threads: true,
        text: { limit: 280, unit: "weighted characters" }
      })
      assert.deepInclude(twitter.media.gif, { max_size: 15_000_000, max_frames: 350, max_duration_ms: null })
      assert.deepInclude(twitter.media.video, { min_duration_ms: 500, max_duration_ms: 7_500_000 })
      assert.deepInclude(bluesky, { text: { limit: 300, unit: "graphemes" }, settings: [] })
      assert.deepInclude(bluesky.media.gif, { max_size: 300_000_000, max_duration_ms: 600_000 })
      assert.deepInclude(bluesky.media.image, { max_size: 2_000_000 })
    })
  )

  it.effect("Settings are listed with what a form needs, those of platforms in review too", () =>
    Effect.gen(function* () {
      const found = yield* list
      const settingsOf = (platform: string) =>
        found.find((each: { platform: string }) => each.platform === platform).settings
      const [reply] = settingsOf("twitter")
      assert.deepInclude(reply, {
        name: "who_can_reply",
        kind: "choice",
        label: "Who may reply on X",
        default: "everyone"
      })
      assert.deepInclude(reply.choices, { value: "verified", label: "Verified accounts" })
      const title = settingsOf("youtube").find((each: { name: string }) => each.name === "title")
      assert.deepInclude(title, { kind: "text", label: null, choices: [], default: null })
    })
  )

  it.effect("Connecting an account on a platform that is not enabled is a 404 with the reason", () =>
    Effect.gen(function* () {
      const inReview = (platform: Platform) => new PlatformInReview({ message: whyInReview(platform) })
      const linking = Layer.mock(AccountLinking, { begin: inReview, logIn: inReview })
      const url = yield* startServer({ repo: repoWithKey(), accountLinking: linking })
      const connect = (platform: Platform, body: object) => call(`${url}/v1/integrations/${platform}`, "POST", body)
      const answers = [
        yield* connect("twitter", {}),
        yield* connect("bluesky", { identifier: "a.sandbox.test", app_password: "b" })
      ]
      assert.deepStrictEqual(
        answers.map(({ body, status }) => [status, body.detail]),
        [
          [404, whyInReview("twitter")],
          [404, whyInReview("bluesky")]
        ]
      )
    })
  )

  it.effect("A platform that has an adapter and is not enabled is in review like those that have none", () =>
    Effect.gen(function* () {
      const { bluesky } = rules
      const found = yield* Effect.provideService(list, CurrentRules, { bluesky })
      for (const platform of ["twitter", "linkedin"] as const) {
        const one = found.find((each: { platform: string }) => each.platform === platform)
        assert.deepInclude(one, {
          state: "in_review",
          reason: whyInReview(platform),
          threads: false,
          text: null,
          media: null
        })
      }
    })
  )
})
