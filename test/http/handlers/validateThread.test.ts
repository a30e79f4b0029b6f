import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, errorPaths, withoutCodes } from "../../support/http/client.ts"
import { anIntegration, creatingPosts } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const connected = (["twitter", "bluesky"] as const).map((platform) => ({ ...anIntegration, platform }))
const repo = repoWithKey({ ...creatingPosts(), integrations: { list: () => Effect.succeed(connected) } })

const validate = Effect.fn("validate")(function* (body: unknown) {
  const url = yield* startServer({ repo })
  const response = yield* call(`${url}/v1/posts/validate`, "POST", body)
  assert.strictEqual(response.status, 200, response.text)
  return response
})

const platforms = ["twitter", "bluesky"]
const post = { content: "First", platforms }
const soon = "1970-01-01T01:00:00Z"

describe("POST /v1/posts/validate of a thread", () => {
  it.effect("Each part is measured on each platform that gets it, and X's charges are estimated", () =>
    Effect.gen(function* () {
      const { body } = yield* validate({
        ...post,
        schedule_at: soon,
        thread: [
          { content: "日本", platform_overrides: { bluesky: "Japan" } },
          { content: "https://example.com", platforms: ["twitter"] },
          { content: "a".repeat(281), platforms: ["bluesky"], media: null }
        ]
      })
      assert.deepStrictEqual(body.data, {
        valid: true,
        errors: [],
        targets: [
          {
            platform: "twitter",
            length: 5,
            limit: 280,
            valid: true,
            parts: [
              { part: 1, length: 5, limit: 280, valid: true },
              { part: 2, length: 4, limit: 280, valid: true },
              { part: 3, length: 23, limit: 280, valid: true }
            ]
          },
          {
            platform: "bluesky",
            length: 5,
            limit: 300,
            valid: true,
            parts: [
              { part: 1, length: 5, limit: 300, valid: true },
              { part: 2, length: 5, limit: 300, valid: true },
              { part: 3, length: 281, limit: 300, valid: true }
            ]
          }
        ],
        cost_estimate: {
          usd: 0.23,
          note: "3 posts on X, 1 of them with a link; X charges $0.015 a post and $0.200 for one with a link (November 2026)"
        }
      })
    })
  )

  it.effect.each([{}, { thread: null }, { thread: [] }])(
    "Without parts the response has no parts, and an estimate of one post: %j",
    (more) =>
      Effect.gen(function* () {
        const { text } = yield* validate({ ...post, ...more })
        const targets = [
          { platform: "twitter", length: 5, limit: 280, valid: true },
          { platform: "bluesky", length: 5, limit: 300, valid: true }
        ]
        const cost_estimate = {
          usd: 0.015,
          note: "1 post on X; X charges $0.015 a post and $0.200 for one with a link (November 2026)"
        }
        assert.strictEqual(text, JSON.stringify({ data: { valid: true, errors: [], targets, cost_estimate } }))
      })
  )

  it.effect("There is no estimate where X gets nothing", () =>
    Effect.gen(function* () {
      const { body } = yield* validate({ ...post, platforms: ["bluesky"], thread: [{ content: "Second" }] })
      assert.notProperty(body.data, "cost_estimate")
      assert.lengthOf(body.data.targets[0].parts, 2)
    })
  )

  it.effect("What is wrong with parts is told at their places", () =>
    Effect.gen(function* () {
      const { body } = yield* validate({
        ...post,
        schedule_at: soon,
        thread: [
          { content: " " },
          { content: "b".repeat(281) },
          { content: "First", platforms: ["twitter", "linkedin"] }
        ]
      })
      assert.deepStrictEqual(withoutCodes(body.data.errors), [
        { path: ["thread", 0, "content"], message: "Expected a text that is not blank" },
        { path: ["thread", 2, "platforms", 1], message: "Expected one of the post's platforms" },
        {
          path: ["thread", 2, "content"],
          message: "twitter refuses repeated texts: part 4 repeats part 1"
        },
        {
          path: ["thread", 1, "content"],
          message: "twitter accepts a length of 280 weighted characters, but part 3 has 281"
        }
      ])
      assert.deepStrictEqual(
        body.data.targets[0].parts.map((part: { valid: boolean }) => part.valid),
        [true, false, false, true]
      )
    })
  )

  it.effect("Parts that are too long are told alone where nothing else is wrong", () =>
    Effect.gen(function* () {
      const { body } = yield* validate({ ...post, schedule_at: soon, thread: [{ content: "b".repeat(301) }] })
      assert.deepStrictEqual(withoutCodes(body.data.errors), [
        {
          path: ["thread", 0, "content"],
          message: "twitter accepts a length of 280 weighted characters, but part 2 has 301"
        },
        { path: ["thread", 0, "content"], message: "bluesky accepts a length of 300 graphemes, but part 2 has 301" }
      ])
    })
  )

  it.effect("The readable parts of a malformed body are checked", () =>
    Effect.gen(function* () {
      const { body } = yield* validate({
        ...post,
        schedule_at: soon,
        thread: [{ content: "" }, { content: 1 }, null, { content: " ", media: [{}] }, { content: "a", extra: 1 }]
      })
      assert.sameDeepMembers(errorPaths(body.data), [
        ["thread", 1, "content"],
        ["thread", 2],
        ["thread", 3, "media", 0, "id"],
        ["thread", 4, "extra"],
        ["thread", 0, "content"]
      ])
      assert.deepStrictEqual(body.data.targets[0], { platform: "twitter", length: 5, limit: 280, valid: true })
    })
  )

  it.effect("The parts are checked beside a fault of another member", () =>
    Effect.gen(function* () {
      const { body } = yield* validate({
        ...post,
        tags: 1,
        schedule_at: soon,
        thread: [{ content: "b".repeat(281), platforms: ["linkedin", "twitter"] }]
      })
      assert.sameDeepMembers(errorPaths(body.data), [["tags"], ["thread", 0, "platforms", 0], ["thread", 0, "content"]])
    })
  )

  it.effect.each([
    ["more than 24 parts", Array.from({ length: 25 }, (_, index) => ({ content: `${index}` })), ["thread"]],
    ["an object", {}, ["thread"]],
    ["a part without a text", [{}], ["thread", 0, "content"]],
    ["a part for no platform", [{ content: "a", platforms: [] }], ["thread", 0, "platforms"]],
    ["a part with a time", [{ content: "a", schedule_at: soon }], ["thread", 0, "schedule_at"]],
    ["a part with five files", [{ content: "a", media: [1, 2, 3, 4, 5].map(() => ({ id: "a" })) }], null],
    ["a NUL", [{ content: "a\0" }], ["thread", 0, "content"]]
  ] as const)("A thread with %s is invalid", ([, thread, path]) =>
    Effect.gen(function* () {
      const { body } = yield* validate({ ...post, thread })
      assert.isFalse(body.data.valid)
      if (path !== null) assert.deepStrictEqual(errorPaths(body.data), [path])
    })
  )

  it.effect("A thread that is larger than a post may be is refused without measuring all of it", () =>
    Effect.gen(function* () {
      const thread = Array.from({ length: 24 }, () => ({ content: "a.".repeat(5000) }))
      const { body } = yield* validate({ ...post, schedule_at: soon, thread })
      assert.deepInclude(errorPaths(body.data), [])
      assert.lengthOf(body.data.targets[0].parts, 7)
    })
  )
})

describe("POST /v1/posts with a thread", () => {
  it.effect("A part that is too long is a content_too_long that names it", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      const { body, status } = yield* call(`${url}/v1/posts`, "POST", {
        ...post,
        schedule_at: soon,
        thread: [{ content: "Second" }, { content: "b".repeat(281) }]
      })
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "content_too_long")
      assert.strictEqual(body.detail, "twitter accepts a length of 280 weighted characters, but part 3 has 281")
      assert.deepStrictEqual(body.violations, [
        { platform: "twitter", length: 281, limit: 280, unit: "weighted characters", part: 3 }
      ])
    })
  )

  it.effect("Without a thread a violation has no part", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      const { body } = yield* call(`${url}/v1/posts`, "POST", { ...post, content: "b".repeat(281), schedule_at: soon })
      assert.deepStrictEqual(body.violations, [
        { platform: "twitter", length: 281, limit: 280, unit: "weighted characters" }
      ])
    })
  )

  it.effect("A part that repeats a text on X is refused when it is scheduled, and not in a draft", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      const thread = [{ content: "👇" }, { content: "👇 " }]
      const scheduled = yield* call(`${url}/v1/posts`, "POST", { ...post, schedule_at: soon, thread })
      assert.strictEqual(scheduled.status, 400)
      assert.deepStrictEqual(errorPaths(scheduled.body), [["thread", 1, "content"]])
      assert.strictEqual((yield* call(`${url}/v1/posts`, "POST", { ...post, thread })).status, 201)
    })
  )
})
