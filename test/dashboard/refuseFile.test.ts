import { assert, describe, it } from "vitest"
import { refuseFile } from "../../src/dashboard/pages/compose/refuseFile.ts"

describe("refuseFile", () => {
  it("A file of a type that is taken, within its limit, is sent, and so is one of a type that the browser does not know", () => {
    for (const file of [
      { name: "a", type: "image/jpeg", size: 30_000_000 },
      { name: "a", type: "video/quicktime", size: 1_000_000_000 },
      { name: "a", type: "video/webm", size: 1_000_000_000 },
      { name: "a", type: "", size: 1_000 },
      { name: "notes.constructor", type: "", size: 1_000 }
    ]) {
      assert.isUndefined(refuseFile(file), file.type)
    }
  })

  it("A document is refused in words that say what it is and what can be posted, also where only its name tells", () => {
    const taken = "Pictures can be JPEG, PNG, WebP or GIF files, videos MP4, MOV or WebM files."
    for (const file of [
      { name: "plan", type: "application/pdf" },
      { name: "a.b.PDF", type: "" }
    ]) {
      assert.strictEqual(refuseFile({ ...file, size: 1_000 }), `This is a PDF, which can’t be posted. ${taken}`)
    }
    const film = { name: "a.mpg", type: "", size: 1_000 }
    assert.strictEqual(refuseFile(film), `This is an MPEG video, which can’t be posted. ${taken} Export it as MP4.`)
    const archive = { name: "a.7z", type: "application/x-7z-compressed", size: 1_000 }
    assert.strictEqual(refuseFile(archive), `This can’t be posted. ${taken}`)
  })

  it("A file that is too large is refused with its size and the limit, also where the two are near each other", () => {
    assert.strictEqual(
      refuseFile({ name: "a", type: "video/mp4", size: 1_000_000_001 }),
      "This file is 1.1 GB. A video can have 1 GB at most. Make it smaller, then add it again."
    )
    assert.include(
      refuseFile({ name: "a", type: "image/png", size: 30_000_001 }) ?? "",
      "31 MB. A picture can have 30 MB at most"
    )
    assert.strictEqual(refuseFile({ name: "a", type: "image/png", size: 0 }), "This file is empty.")
  })
})
