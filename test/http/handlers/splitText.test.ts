import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, errorPaths } from "../../support/http/client.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const split = Effect.fn("split")(function* (body: unknown) {
  const url = yield* startServer({ repo: repoWithKey({}) })
  return yield* call(`${url}/v1/posts/split`, "POST", body)
})

const platforms = ["twitter", "bluesky"]

describe("POST /v1/posts/split", () => {
  it.effect("A text is split into parts for its platforms, with their lengths", () =>
    Effect.gen(function* () {
      const { body, status } = yield* split({ content: "Hello\n---\n日本", platforms })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        data: {
          parts: [{ content: "Hello" }, { content: "日本" }],
          per_platform: [
            {
              platform: "twitter",
              parts: [
                { text: "Hello", length: 5, limit: 280 },
                { text: "日本", length: 4, limit: 280 }
              ]
            },
            {
              platform: "bluesky",
              parts: [
                { text: "Hello", length: 5, limit: 300 },
                { text: "日本", length: 2, limit: 300 }
              ]
            }
          ],
          fits: true
        }
      })
    })
  )

  it.effect("The parts are numbered on request, and as many as the request allows", () =>
    Effect.gen(function* () {
      const { body } = yield* split({ content: "a".repeat(900), platforms, numbering: "suffix", max_parts: 2 })
      const { fits, parts } = body.data
      assert.isFalse(fits)
      assert.lengthOf(parts, 2)
      assert.isTrue(parts[0].content.endsWith("a 1/2"))
    })
  )

  it.effect("Null for an optional member means that it is absent", () =>
    Effect.gen(function* () {
      const { body, status } = yield* split({ content: "a".repeat(281), platforms, numbering: null, max_parts: null })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.data.parts, [{ content: "a".repeat(280) }, { content: "a" }])
    })
  )

  it.effect("A text of 64,000 bytes is split, and a longer one refused", () =>
    Effect.gen(function* () {
      const { status } = yield* split({ content: "é".repeat(32_000), platforms })
      assert.strictEqual(status, 200)
      const refused = yield* split({ content: `${"é".repeat(32_000)}a`, platforms })
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(refused.body.errors, [
        {
          path: ["content"],
          message: "Expected a text of at most 64,000 bytes",
          code: "malformed",
          facts: { expected: "a text of at most 64,000 bytes" }
        }
      ])
    })
  )

  it.effect.each([
    ["no text", undefined],
    ["a blank text", " \n"],
    ["a text of invisible characters", "\u200B\n---\n\u2060"],
    ["nothing but breaks", "---\n\n --- "],
    ["a NUL", "a\0"],
    ["an unpaired surrogate", "\ud83d"],
    ["a number", 1],
    ["null", null]
  ] as const)("A body with %s for its text is refused", ([, content]) =>
    Effect.gen(function* () {
      const { body, status } = yield* split({ content, platforms })
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "invalid_request")
      assert.deepStrictEqual(errorPaths(body), [["content"]])
    })
  )

  it.effect("Every invalid field is named", () =>
    Effect.gen(function* () {
      const { body, status } = yield* split({
        content: "",
        platforms: ["twitter", "x"],
        numbering: "prefix",
        max_parts: 26,
        extra: 1
      })
      assert.strictEqual(status, 400)
      assert.sameDeepMembers(errorPaths(body), [["content"], ["platforms", 1], ["numbering"], ["max_parts"], ["extra"]])
    })
  )

  it.effect.each([0, 1.5, -1, "2", 1e300, {}])("No number of parts is %j", (max_parts) =>
    Effect.gen(function* () {
      const { body, status } = yield* split({ content: "a", platforms, max_parts })
      assert.strictEqual(status, 400)
      assert.include(body.detail, "max_parts")
      for (const path of errorPaths(body)) assert.deepStrictEqual(path, ["max_parts"])
    })
  )

  it.effect.each([[], ["twitter", "twitter"], "twitter", null])("No platforms are %j", (given) =>
    Effect.gen(function* () {
      const { status } = yield* split({ content: "a", platforms: given })
      assert.strictEqual(status, 400)
    })
  )
})
