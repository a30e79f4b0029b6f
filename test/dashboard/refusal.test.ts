import { assert, describe, it } from "@effect/vitest"
import type { ApiError, Failure } from "../../src/dashboard/api/errors.ts"
import { describeRefusal, stepAfter } from "../../src/dashboard/shared/actions/refusal.ts"
import { post, type PostJson } from "./post.ts"

const problem = (status: number, code: string, errors: ApiError["errors"] = []): ApiError => ({
  _tag: "ApiError",
  status,
  code,
  detail: "The service says why",
  errors,
  retryAfter: null,
  requestId: null,
  problem: {}
})

const describeOf = (error: Failure, current?: PostJson, name?: string) =>
  describeRefusal({ error, current }, { post: post("a") }, name)

describe("Why a change of a post was refused", () => {
  it.each([
    ["scheduled", "Somebody else changed “Launch” first. Look at it, then do it again."],
    ["draft", "Somebody else changed “Launch” first. Look at it, then do it again."],
    ["publishing", "Posts that are going out now can’t be changed."],
    ["published", "“Launch” already went out. Published posts stay as they are."],
    ["failed", "“Launch” already failed. Failed posts can’t be changed. Open one to publish it again."]
  ] as const)("A post that is %s by the time says so by its name, and what helps", (status, words) => {
    assert.strictEqual(describeOf(problem(412, "revision_mismatch"), post("a", { status }), "“Launch”"), words)
  })

  it("Who changed a post is named, if the post is one", () => {
    const refusal = { error: problem(412, "revision_mismatch"), current: post("a"), by: "Ada" }
    assert.strictEqual(
      describeRefusal(refusal, { post: post("a") }, "“Launch”"),
      "Ada changed “Launch” first. Look at it, then do it again."
    )
    assert.include(describeRefusal(refusal, { post: post("a") }), "Somebody else changed them first.")
  })

  it("One post and several posts share each sentence", () => {
    const failures: ReadonlyArray<Failure> = [
      problem(412, "revision_mismatch"),
      problem(404, "not_found"),
      { _tag: "ConnectionError" }
    ]
    assert.deepStrictEqual(
      failures.map((error) => [describeOf(error, undefined, "“Launch”"), describeOf(error)]),
      [
        [
          "Somebody else changed “Launch” first. Look at it, then do it again.",
          "Somebody else changed them first. Look at each, then do it again."
        ],
        ["Somebody else deleted “Launch” first.", "Somebody else deleted them first."],
        [
          "It is not known whether this change arrived. Check the connection, then try again: nothing is done twice.",
          "It is not known whether these changes arrived. Check the connection, then try again: nothing is done twice."
        ]
      ]
    )
  })

  it("A refused change leads to the post if somebody else changed it, and to its editor if it can be put right there", () => {
    const step = (error: Failure, current?: PostJson) => stepAfter({ post: post("a") }, { error, current })?.label
    assert.deepStrictEqual(
      [
        step(problem(412, "revision_mismatch"), post("a", { revision: 2 })),
        step(problem(400, "content_too_long")),
        step(problem(400, "content_too_long"), post("a", { status: "publishing" })),
        step(problem(404, "not_found")),
        step(problem(503, "unavailable")),
        step({ _tag: "ConnectionError" })
      ],
      ["See it", "Edit", "See it", undefined, undefined, undefined]
    )
  })

  it("A refused post stays as it was, and a time is refused with the times that are possible", () => {
    const time = problem(400, "validation_failed", [{ path: ["scheduled_at"], message: "Must be in the future" }])
    assert.deepStrictEqual(
      [
        describeOf(problem(400, "invalid_state"), undefined, "“Launch”"),
        describeOf(time, undefined, "“Launch”"),
        describeOf(time),
        describeOf(problem(503, "unavailable"), undefined, "“Launch”")
      ],
      [
        "“Launch” stays as it was. The service says why.",
        "“Launch” stays as it was. Choose a time from now on, at most 180 days ahead.",
        "Choose a time from now on, at most 180 days ahead.",
        "The service failed. Try again in a moment."
      ]
    )
  })
})
