import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { PostId } from "../../../src/domain/ids.ts"
import type { PostPlan, StoredPost } from "../../../src/domain/postPlan.ts"
import { call } from "../../support/http/client.ts"
import { baseUrl, holder, startServer, repoWithKey } from "../../support/http/server.ts"
import { anIntegration, aPost, postId } from "../../support/http/samplePosts.ts"

const group = "01a1fc17-dc2e-777d-ad63-000000000001"

/** A store that takes any new post and writes down how. */
const storing = (plans: Array<PostPlan>) =>
  repoWithKey({
    posts: {
      create: (workspaceId, plan) =>
        Effect.sync(() => {
          assert.strictEqual(workspaceId, holder.workspaceId)
          plans.push(plan)
          return { id: postId, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
        })
    }
  })

const stored: StoredPost = {
  status: "draft",
  content: "Hello",
  platforms: ["twitter"],
  scheduledAt: null,
  tags: [],
  overrides: {},
  settings: {},
  maybePublished: false
}

describe("creating a post", () => {
  it.effect("answers 201 with its address and exactly id, status, scheduled_at and platforms", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: storing([]) })
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

  it.effect("without a time stores a draft whose scheduled_at is null", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: storing([]) })
      const { body } = yield* call(`${url}/v1/posts`, "POST", { content: "Hello", platforms: ["twitter"] })
      assert.strictEqual(body.status, "draft")
      assert.isNull(body.scheduled_at)
    })
  )

  it.effect("stores all that the body says", () =>
    Effect.gen(function* () {
      const plans: Array<PostPlan> = []
      const url = yield* startServer({ repo: storing(plans) })
      yield* call(`${url}/v1/posts`, "POST", {
        content: "Hello",
        platforms: ["twitter"],
        schedule_at: "1970-01-01T01:00:00Z",
        status: "draft",
        tags: ["a"],
        platform_overrides: { twitter: "Hi", tiktok: "Yo" },
        platform_settings: { twitter: { who_can_reply: "verified" } },
        group_id: group
      })
      const [plan] = plans
      assert.deepStrictEqual(
        { ...plan, scheduledAt: null },
        {
          status: "draft",
          content: "Hello",
          platforms: ["twitter"],
          scheduledAt: null,
          tags: ["a"],
          overrides: { twitter: "Hi", tiktok: "Yo" },
          settings: { twitter: { who_can_reply: "verified" } },
          groupId: group
        }
      )
    })
  )

  it.effect("refuses a scheduled text that is too long for a platform, but takes it as a draft", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: storing([]) })
      const post = { content: "a".repeat(281), platforms: ["twitter", "bluesky"] }
      const scheduled = yield* call(`${url}/v1/posts`, "POST", { ...post, schedule_at: "1970-01-01T01:00:00Z" })
      assert.strictEqual(scheduled.status, 400)
      assert.strictEqual(scheduled.body.code, "content_too_long")
      assert.deepStrictEqual(scheduled.body.violations, [{ platform: "twitter", length: 281, limit: 280 }])
      const draft = yield* call(`${url}/v1/posts`, "POST", post)
      assert.strictEqual(draft.status, 201)
    })
  )
})

describe("listing posts", () => {
  const ids = Array.from({ length: 25 }, (_, index) =>
    PostId.make(`01a1fc17-dc2e-777d-ad63-${String(99 - index).padStart(12, "0")}`)
  )

  /** A store that holds these posts, newest first. */
  const listing = repoWithKey({
    posts: {
      list: (_workspace, { limit, before }) =>
        Effect.sync(() => {
          const rest = before === null ? ids : ids.slice(ids.indexOf(before) + 1)
          return rest.slice(0, limit).map((id) => aPost({ id }))
        })
    }
  })

  it.effect("answers 20 of them unless asked for another number", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: listing })
      assert.lengthOf((yield* call(`${url}/v1/posts`)).body.data, 20)
      assert.lengthOf((yield* call(`${url}/v1/posts?limit=3`)).body.data, 3)
      assert.lengthOf((yield* call(`${url}/v1/posts?limit=1000`)).body.data, 25)
    })
  )

  it.effect.each([1, 4, 5, 24, 25])(
    "walks through all of them by next_cursor, %i at a time, and ends with null",
    (limit) =>
      Effect.gen(function* () {
        const url = yield* startServer({ repo: listing })
        const seen: Array<string> = []
        let cursor = ""
        do {
          const { body } = yield* call(`${url}/v1/posts?limit=${limit}${cursor}`)
          seen.push(...body.data.map((post: { id: string }) => post.id))
          cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`
        } while (cursor !== "")
        assert.deepStrictEqual(seen, ids)
      })
  )

  it.effect("passes the status on", () =>
    Effect.gen(function* () {
      const asked: Array<string | null> = []
      const repo = repoWithKey({
        posts: {
          list: (_workspace, { status }) =>
            Effect.as(
              Effect.sync(() => asked.push(status)),
              []
            )
        }
      })
      const url = yield* startServer({ repo })
      for (const status of ["draft", "scheduled", "publishing", "published", "failed"]) {
        assert.deepStrictEqual((yield* call(`${url}/v1/posts?status=${status}`)).body, { data: [], next_cursor: null })
      }
      yield* call(`${url}/v1/posts`)
      assert.deepStrictEqual(asked, ["draft", "scheduled", "publishing", "published", "failed", null])
    })
  )

  it.effect("of a group answers them as data, none for a group that is not known", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: { listGroup: (_workspace, id) => Effect.succeed(id === group ? [aPost()] : []) }
      })
      const url = yield* startServer({ repo })
      assert.lengthOf((yield* call(`${url}/v1/posts/group/${group}`)).body.data, 1)
      assert.deepStrictEqual((yield* call(`${url}/v1/posts/group/${postId}`)).body, { data: [] })
    })
  )
})

describe("a post", () => {
  it.effect("is answered whole, its times in UTC with milliseconds", () =>
    Effect.gen(function* () {
      const at = DateTime.makeUnsafe("2030-01-31T09:00:00Z")
      const failed = {
        status: "failed" as const,
        platform_post_url: null,
        published_at: null,
        error: { code: "rejected" as const, message: "A duplicate", retryable: false },
        integrations: { platform: "twitter" as const }
      }
      const post = aPost({ status: "failed", scheduled_at: at, post_targets: [failed] })
      const url = yield* startServer({ repo: repoWithKey({ posts: { get: () => Effect.succeed(post) } }) })
      const { status, body } = yield* call(`${url}/v1/posts/${postId}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        data: {
          id: postId,
          status: "failed",
          content: "Hello",
          scheduled_at: "2030-01-31T09:00:00.000Z",
          published_at: null,
          tags: [],
          group_id: null,
          post_targets: [failed],
          created_at: "1970-01-01T00:00:00.000Z"
        }
      })
    })
  )

  it.effect("is changed by PATCH, in what is named only", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: {
          update: (_workspace, id, decide) =>
            Effect.fromResult(decide({ ...stored, tags: ["kept"] })).pipe(
              Effect.map(({ content, tags, status }) => aPost({ id, content, tags, status }))
            )
        }
      })
      const url = yield* startServer({ repo })
      const { status, body } = yield* call(`${url}/v1/posts/${postId}`, "PATCH", { content: "Changed" })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { content: "Changed", tags: ["kept"], status: "draft" })
    })
  )

  it.effect("is not changed by PATCH once it has been published", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: {
          update: (_workspace, _id, decide) =>
            Effect.as(Effect.fromResult(decide({ ...stored, status: "published" })), aPost())
        }
      })
      const url = yield* startServer({ repo })
      const { status, body } = yield* call(`${url}/v1/posts/${postId}`, "PATCH", { content: "Changed" })
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "invalid_state")
    })
  )

  it.effect("is published with a 202 and answered as it is then", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: {
          publish: (_workspace, id, decide) =>
            Effect.as(Effect.fromResult(decide(stored)), aPost({ id, status: "scheduled" }))
        }
      })
      const url = yield* startServer({ repo })
      const { status, body } = yield* call(`${url}/v1/posts/${postId}/publish`, "POST")
      assert.strictEqual(status, 202)
      assert.strictEqual(body.data.status, "scheduled")
    })
  )

  it.effect.each(["publishing", "published"] as const)("that is %s is not published again", (current) =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: {
          publish: (_workspace, _id, decide) =>
            Effect.as(Effect.fromResult(decide({ ...stored, status: current })), aPost())
        }
      })
      const url = yield* startServer({ repo })
      const { status, body } = yield* call(`${url}/v1/posts/${postId}/publish`, "POST")
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "invalid_state")
    })
  )

  it.effect("is deleted with a 200 that says so, and a group with how many", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({ posts: { remove: () => Effect.void, removeGroup: () => Effect.succeed(3) } })
      const url = yield* startServer({ repo })
      const one = yield* call(`${url}/v1/posts/${postId}`, "DELETE")
      assert.deepStrictEqual([one.status, one.body], [200, { data: { id: postId, deleted: true } }])
      const all = yield* call(`${url}/v1/posts/group/${group}`, "DELETE")
      assert.deepStrictEqual([all.status, all.body], [200, { data: { group_id: group, deleted: 3 } }])
    })
  )
})

describe("validating a post", () => {
  const connected = repoWithKey({
    integrations: {
      list: () => Effect.succeed((["twitter", "bluesky"] as const).map((platform) => ({ ...anIntegration, platform })))
    }
  })

  const validate = Effect.fn("validate")(function* (body: unknown) {
    const url = yield* startServer({ repo: connected })
    const answer = yield* call(`${url}/v1/posts/validate`, "POST", body)
    assert.strictEqual(answer.status, 200)
    return answer.body.data
  })

  it.effect("measures the text of each target by its platform's own count", () =>
    Effect.gen(function* () {
      const post = { content: "Hello", platforms: ["bluesky", "twitter"], platform_overrides: { twitter: "日本" } }
      assert.deepStrictEqual(yield* validate(post), {
        valid: true,
        errors: [],
        targets: [
          { platform: "bluesky", length: 5, limit: 300, valid: true },
          { platform: "twitter", length: 4, limit: 280, valid: true }
        ]
      })
    })
  )

  it.effect("says of a text that is too long where it stands, and that a draft may be that long", () =>
    Effect.gen(function* () {
      const long = "a".repeat(281)
      const post = {
        content: long,
        platforms: ["twitter", "bluesky"],
        platform_overrides: { bluesky: "b".repeat(301) }
      }
      const scheduled = yield* validate({ ...post, schedule_at: "1970-01-01T01:00:00Z" })
      assert.isFalse(scheduled.valid)
      assert.deepStrictEqual(scheduled.errors, [
        { path: ["content"], message: "twitter takes 280, this is 281" },
        { path: ["platform_overrides", "bluesky"], message: "bluesky takes 300, this is 301" }
      ])
      const draft = yield* validate(post)
      assert.isTrue(draft.valid)
      assert.deepStrictEqual(
        draft.targets.map((target: { valid: boolean }) => target.valid),
        [false, false]
      )
    })
  )

  it.effect("lists platforms that are not connected beside what else is wrong", () =>
    Effect.gen(function* () {
      const { valid, errors } = yield* validate({
        content: "Hello",
        platforms: ["twitter", "linkedin"],
        schedule_at: "1969-01-01T00:00:00Z"
      })
      assert.isFalse(valid)
      assert.deepStrictEqual(
        errors.map((error: { path: unknown }) => error.path),
        [["platforms", 1], ["schedule_at"]]
      )
    })
  )

  it.effect("measures and checks what can be read of a body that does not fit", () =>
    Effect.gen(function* () {
      const { valid, errors, targets } = yield* validate({
        content: "Hello",
        platforms: ["twitter", "linkedin"],
        schedule_at: "tomorrow"
      })
      assert.isFalse(valid)
      assert.deepStrictEqual(
        errors.map((error: { path: unknown }) => error.path),
        [["platforms", 1], ["schedule_at"]]
      )
      assert.deepStrictEqual(targets, [{ platform: "twitter", length: 5, limit: 280, valid: true }])
    })
  )

  it.effect("answers a body that does not fit with every wrong field", () =>
    Effect.gen(function* () {
      const { valid, errors, targets } = yield* validate({ content: "", platforms: ["x"], extra: 1 })
      assert.isFalse(valid)
      assert.deepStrictEqual(
        errors.map((error: { path: unknown }) => error.path),
        [["extra"], ["content"], ["platforms", 0]]
      )
      assert.deepStrictEqual(targets, [])
    })
  )
})
