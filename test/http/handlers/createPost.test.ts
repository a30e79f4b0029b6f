import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import { call } from "../../support/http/client.ts"
import { anIntegration, creatingPosts, postId } from "../../support/http/samplePosts.ts"
import { baseUrl, repoWithKey, startServer } from "../../support/http/server.ts"

const groupId = "01a1fc17-dc2e-777d-ad63-000000000001"

const startRecording = (plans?: Array<PostPlan>) =>
  startServer({
    repo: repoWithKey({ ...creatingPosts(plans), integrations: { list: () => Effect.succeed([anIntegration]) } })
  })

describe("POST /v1/posts", () => {
  it.effect("A post is created with a 201, its Location, and exactly id, status, scheduled_at and platforms", () =>
    Effect.gen(function* () {
      const url = yield* startRecording()
      const { status, headers, body } = yield* call(`${url}/v1/posts`, "POST", {
        content: "Hello",
        platforms: ["bluesky", "twitter"],
        schedule_at: "1970-01-01T03:00:00+02:00"
      })
      assert.strictEqual(status, 201)
      assert.strictEqual(headers.get("location"), `${baseUrl}/v1/posts/${postId}`)
      assert.deepStrictEqual(body, {
        id: postId,
        status: "scheduled",
        scheduled_at: "1970-01-01T01:00:00.000Z",
        platforms: ["bluesky", "twitter"]
      })
    })
  )

  it.effect("A post without a time is created as a draft whose scheduled_at is null", () =>
    Effect.gen(function* () {
      const url = yield* startRecording()
      const { body } = yield* call(`${url}/v1/posts`, "POST", { content: "Hello", platforms: ["twitter"] })
      assert.strictEqual(body.status, "draft")
      assert.isNull(body.scheduled_at)
    })
  )

  it.effect("Every member of the body is stored, and a repeated tag once", () =>
    Effect.gen(function* () {
      const plans: Array<PostPlan> = []
      const url = yield* startRecording(plans)
      yield* call(`${url}/v1/posts`, "POST", {
        content: "Hello",
        platforms: ["twitter"],
        schedule_at: "1970-01-01T01:00:00Z",
        status: "draft",
        tags: ["a", "b", "a"],
        platform_overrides: { twitter: "Hi", tiktok: "Yo" },
        platform_settings: { twitter: { who_can_reply: "verified" } },
        group_id: groupId
      })
      const [plan] = plans
      assert.deepStrictEqual(
        { ...plan, scheduledAt: null },
        {
          status: "draft",
          content: "Hello",
          platforms: ["twitter"],
          scheduledAt: null,
          tags: ["a", "b"],
          overrides: { twitter: "Hi", tiktok: "Yo" },
          settings: { twitter: { who_can_reply: "verified" } },
          media: [],
          thread: [],
          card: null,
          groupId
        }
      )
    })
  )

  it.effect("Null in an optional member means that the member is absent", () =>
    Effect.gen(function* () {
      const plans: Array<PostPlan> = []
      const url = yield* startRecording(plans)
      const required = { content: "Hello", platforms: ["twitter"] }
      const absent = {
        schedule_at: null,
        tags: null,
        platform_overrides: null,
        platform_settings: null,
        group_id: null,
        status: null
      }
      const nested = {
        platform_overrides: { twitter: null, bluesky: "Hi" },
        platform_settings: { twitter: { who_can_reply: null }, youtube: { thumbnail_url: null }, bluesky: null }
      }
      for (const body of [required, { ...required, ...absent }, { ...required, ...nested }]) {
        assert.strictEqual((yield* call(`${url}/v1/posts`, "POST", body)).status, 201)
        assert.strictEqual((yield* call(`${url}/v1/posts/validate`, "POST", body)).body.data?.valid, true)
      }
      const [first, second, third] = plans
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual(third?.overrides, { bluesky: "Hi" })
      assert.deepStrictEqual(third?.settings, { twitter: {}, youtube: {} })
      for (const body of [
        { ...required, content: null },
        { ...required, platforms: null }
      ])
        assert.strictEqual((yield* call(`${url}/v1/posts`, "POST", body)).status, 400)
    })
  )

  it.effect("A text that is too long for a platform is refused if it is scheduled, and accepted as a draft", () =>
    Effect.gen(function* () {
      const url = yield* startRecording()
      const post = { content: "a".repeat(281), platforms: ["twitter", "bluesky"] }
      const scheduled = yield* call(`${url}/v1/posts`, "POST", { ...post, schedule_at: "1970-01-01T01:00:00Z" })
      assert.strictEqual(scheduled.status, 400)
      assert.strictEqual(scheduled.body.code, "content_too_long")
      assert.deepStrictEqual(scheduled.body.violations, [
        { platform: "twitter", length: 281, limit: 280, unit: "weighted characters" }
      ])
      const draft = yield* call(`${url}/v1/posts`, "POST", post)
      assert.strictEqual(draft.status, 201)
    })
  )

  it.effect("Settings that a platform does not list are accepted, and the listed ones are stored", () =>
    Effect.gen(function* () {
      const plans: Array<PostPlan> = []
      const url = yield* startRecording(plans)
      const { status } = yield* call(`${url}/v1/posts`, "POST", {
        content: "Hello",
        platforms: ["twitter"],
        platform_settings: { twitter: { who_can_reply: "following", mood: "good" }, bluesky: { mood: "good" } }
      })
      assert.strictEqual(status, 201)
      assert.nestedPropertyVal(plans[0]?.settings, "twitter.who_can_reply", "following")
    })
  )
})
