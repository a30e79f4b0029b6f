import { assert, describe, it } from "@effect/vitest"
import { makeChecks, video } from "../../support/mediaChecks.ts"

describe("the videos of a post on Threads", () => {
  const { refusals } = makeChecks("threads")

  it("23 to 60 frames per second and a width of 1,920 pixels are accepted, and no others", () => {
    for (const frameRate of [23, 60]) assert.deepStrictEqual(refusals({ ...video, frameRate }), [])
    for (const frameRate of [22, 61]) assert.match(refusals({ ...video, frameRate })[0] ?? "", /23 to 60 frames/)
    assert.deepStrictEqual(refusals({ ...video, width: 1_920, height: 3_840 }), [])
    assert.match(refusals({ ...video, width: 2_160, height: 3_840 })[0] ?? "", /up to 1920 pixels wide/)
  })
})
