import { assert, describe, it } from "@effect/vitest"
import { changedTexts } from "../../src/dashboard/pages/approvals/changes.ts"
import type { ThreadPart } from "../../src/domain/posts/thread.ts"

const part = (content: string, rest: Partial<Pick<ThreadPart, "platforms">> = {}) => ({
  content,
  platform_overrides: {},
  media: [],
  card: null,
  platforms: null,
  ...rest
})

const version = (content: string, ...texts: ReadonlyArray<string>) => ({
  content,
  platform_overrides: {},
  thread: texts.map((text) => part(text))
})

const said = (...versions: Parameters<typeof changedTexts>) =>
  changedTexts(...versions).map((change) => [change.part, change.before, change.after, change.note])

describe("What has changed since approval was asked for", () => {
  it("A post without a thread has its changed text, and no parts", () => {
    assert.deepStrictEqual(said(version("On Tuesday"), version("On Friday")), [
      [undefined, "On Tuesday", "On Friday", undefined]
    ])
    assert.deepStrictEqual(said(version("Same"), version("Same")), [])
    assert.deepStrictEqual(said(null, version("First")), [])
  })

  it("A platform's own text is compared with what the platform got before", () => {
    const [before, after] = [version("Shared"), { ...version("Shared"), platform_overrides: { bluesky: "Own" } }]
    assert.deepStrictEqual(changedTexts(before, after), [
      { part: undefined, platform: "bluesky", before: "Shared", after: "Own", note: undefined }
    ])
  })

  it("A part is compared with what it was, where another one was removed before it and one was added after it", () => {
    assert.deepStrictEqual(
      said(
        version("One", "Second part, which stays", "Third part goes away", "Fourth part changes a word"),
        version("One", "Second part, which stays", "Fourth part changes two words", "All of this is other")
      ),
      [
        [3, "Third part goes away", "", "removed"],
        [3, "Fourth part changes a word", "Fourth part changes two words", undefined],
        [4, "", "All of this is other", "added"]
      ]
    )
  })

  it("Parts that share hardly a word are not taken for each other", () => {
    assert.deepStrictEqual(
      said(
        version("One", "The one thing", "Gone for good now"),
        version("One", "The entirely different sentence here")
      ).map(([, , , note]) => note),
      ["removed", "added", "removed"]
    )
  })

  it("Where a part is inserted, the ones after it have not changed", () => {
    assert.deepStrictEqual(said(version("One", "Two", "Three"), version("One", "Inserted", "Two", "Three")), [
      [2, "", "Inserted", "added"]
    ])
  })

  it("A part that moved past others is said to have moved", () => {
    assert.deepStrictEqual(said(version("One", "Two", "Three"), version("One", "Three", "Two")), [
      [3, "", "", "moved, was part 2"]
    ])
  })

  it("A part that only goes elsewhere is named without a text", () => {
    const [before, after] = [
      version("One", "Two"),
      { ...version("One"), thread: [part("Two", { platforms: ["twitter"] })] }
    ]
    assert.deepStrictEqual(said(before, after), [[2, "", "", "only on X now"]])
  })
})
