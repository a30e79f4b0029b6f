import { assert, describe, it } from "@effect/vitest"
import type { Upload } from "../../src/dashboard/pages/compose/composingState.ts"
import { describeCost } from "../../src/dashboard/shared/describeCost.ts"
import { filePollMillis } from "../../src/dashboard/pages/compose/filePollMillis.ts"
import { askBeforeLeaving } from "../../src/dashboard/pages/compose/leaving.ts"
import { post } from "./post.ts"

const now = new Date("2026-10-24T06:30:00Z")

const upload: Upload = {
  key: "1",
  part: "first",
  name: "a.png",
  preview: undefined,
  progress: 0,
  error: undefined,
  canRetry: true
}

const ask = (changes: Partial<Parameters<typeof askBeforeLeaving>[0]>) =>
  askBeforeLeaving({ state: { uploads: [] }, post: post("1"), isDirty: false, ...changes }, now)

describe("The question before the composer is left", () => {
  it("A file that would be lost is asked about, while it is uploaded and after that has failed", () => {
    assert.strictEqual(ask({ state: { uploads: [upload] } })?.title, "Leave while a file is being uploaded?")
    const failed = { ...upload, error: "Failed" }
    assert.strictEqual(ask({ state: { uploads: [failed] } })?.title, "Leave without the file?")
  })

  it("A save that waits for a file is asked about", () => {
    assert.strictEqual(ask({ state: { uploads: [], waiting: "schedule" } })?.title, "Leave before it is saved?")
  })

  it("A change of a post that goes out within the hour is asked about, and no other", () => {
    assert.strictEqual(ask({ isDirty: true })?.title, "Leave without saving?")
    assert.strictEqual(ask({ isDirty: true })?.stay, "Stay")
    const later = "2026-10-24T07:31:00.000Z"
    for (const changes of [
      {},
      { isDirty: true, post: undefined },
      { isDirty: true, post: post("1", { status: "draft" }) },
      { isDirty: true, post: post("1", { scheduled_at: later }) }
    ]) {
      assert.isUndefined(ask(changes))
    }
  })
})

describe("filePollMillis", () => {
  it("Questions begin soon and become rare, so that a long video uses few requests", () => {
    assert.deepStrictEqual([0, 400, 1000, 4000, 600_000].map(filePollMillis), [200, 200, 500, 2000, 2000])
  })
})

describe("describeCost", () => {
  it("The price is in dollars, with the service's note, which says whether a link is the reason", () => {
    assert.strictEqual(describeCost({ usd: 0.015, note: "1 post on X" }), "About $0.015: 1 post on X")
    assert.strictEqual(
      describeCost({ usd: 0.2, note: "1 post on X with a link" }),
      "About $0.20: 1 post on X with a link"
    )
  })
})
