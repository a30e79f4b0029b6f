import { assert, describe, it } from "vitest"
import { refuseFile } from "../../src/dashboard/pages/compose/refuseFile.ts"

describe("refuseFile", () => {
  it("A file of a type that is taken, within its limit, is sent, and so is one of a type that the browser does not know", () => {
    for (const file of [
      { type: "image/jpeg", size: 30_000_000 },
      { type: "video/quicktime", size: 1_000_000_000 },
      { type: "", size: 1_000 }
    ]) {
      assert.isUndefined(refuseFile(file), file.type)
    }
  })

  it("A document is refused in words that say what can be posted", () =>
    assert.strictEqual(
      refuseFile({ type: "application/pdf", size: 1_000 }),
      "This can’t be posted. Pictures can be JPEG, PNG, WebP or GIF files, videos MP4 or MOV files."
    ))

  it("A file that is too large is refused with its size and the limit, also where the two are near each other", () => {
    assert.strictEqual(
      refuseFile({ type: "video/mp4", size: 1_000_000_001 }),
      "This file has 1.1 GB. A video can have 1 GB at most. Make it smaller, then add it again."
    )
    assert.include(refuseFile({ type: "image/png", size: 30_000_001 }) ?? "", "31 MB. A picture can have 30 MB at most")
    assert.strictEqual(refuseFile({ type: "image/png", size: 0 }), "This file is empty.")
  })
})
